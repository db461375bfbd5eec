import Testing

@testable import ALSASoundCard

@Suite struct DefaultRouteTests {
  @Test(arguments: [
    (nil, DefaultRoute.missing), ("cards.pcm.default", .firstCard),
    ("pulse", .server(plugin: "pulse")), ("pipewire", .server(plugin: "pipewire")),
    ("plug", .userDefined),
  ])
  func `the plug-in behind the default device determines the default route`(
    target: String?, route: DefaultRoute
  ) {
    #expect(DefaultRoute(target: target) == route)
  }

  @Test func `a default that the configuration defines is reported as userDefined`() throws {
    _ = try TestALSA.ready()
    #expect(DefaultRoute.read() == .userDefined)
  }
}
