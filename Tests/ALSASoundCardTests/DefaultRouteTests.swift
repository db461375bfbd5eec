import Testing

@testable import ALSASoundCard

@Suite struct DefaultRouteTests {
  @Test(arguments: [
    (nil, DefaultRoute.missing), ("cards.pcm.default", .firstCard),
    ("pulse", .server(plugin: "pulse")), ("pipewire", .server(plugin: "pipewire")),
    ("plug", .userDefined),
  ])
  func `what default stands for decides where it leads`(target: String?, route: DefaultRoute) {
    #expect(DefaultRoute(target: target) == route)
  }

  @Test func `a default that the configuration defines is the user's`() throws {
    _ = try TestBench.ready()
    #expect(DefaultRoute.read() == .userDefined)
  }
}
