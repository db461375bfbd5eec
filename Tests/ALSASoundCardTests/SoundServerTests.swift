import Testing

@testable import ALSASoundCard

@Suite struct SoundServerTests {
  @Test func `a socket in the runtime directory is a server`() {
    let directory = ["XDG_RUNTIME_DIR": "/run/user/7"]
    #expect(isThere("pulse", directory, ["/run/user/7/pulse/native"]))
    #expect(isThere("pipewire", directory, ["/run/user/7/pipewire-0"]))
    #expect(!isThere("pulse", directory, []))
    #expect(!isThere("pipewire", directory, []))
  }

  @Test func `an address in the environment goes before the usual places`() {
    let address = ["PULSE_SERVER": "unix:/a/native", "PULSE_RUNTIME_PATH": "/b"]
    #expect(isThere("pulse", address, ["/a/native"]))
    #expect(!isThere("pulse", address, ["/b/native"]))
  }

  @Test func `a server on another machine is believed in`() {
    #expect(isThere("pulse", ["PULSE_SERVER": "tcp:kitchen"], []))
  }

  @Test func `an unknown plug-in has no server`() {
    #expect(!isThere("jack", [:], []))
  }

  private func isThere(
    _ plugin: String, _ variables: [String: String], _ paths: Set<String>
  ) -> Bool {
    SoundServer(variable: { variables[$0] }, exists: { paths.contains($0) })
      .isThere(plugin: plugin)
  }
}
