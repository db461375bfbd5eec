import Testing

@testable import ALSASoundCard

@Suite struct SoundServerTests {
  @Test func `a server is available if its socket is in the runtime directory`() {
    let directory = ["XDG_RUNTIME_DIR": "/run/user/7"]
    #expect(isAvailable("pulse", directory, ["/run/user/7/pulse/native"]))
    #expect(isAvailable("pipewire", directory, ["/run/user/7/pipewire-0"]))
    #expect(!isAvailable("pulse", directory, []))
    #expect(!isAvailable("pipewire", directory, []))
  }

  @Test func `an address in the environment takes precedence`() {
    let address = ["PULSE_SERVER": "unix:/a/native", "PULSE_RUNTIME_PATH": "/b"]
    #expect(isAvailable("pulse", address, ["/a/native"]))
    #expect(!isAvailable("pulse", address, ["/b/native"]))
  }

  @Test func `a remote server is assumed to be available`() {
    #expect(isAvailable("pulse", ["PULSE_SERVER": "tcp:kitchen"], []))
  }

  @Test func `no server is available for an unknown plug-in`() {
    #expect(!isAvailable("jack", [:], []))
  }

  private func isAvailable(
    _ plugin: String, _ variables: [String: String], _ paths: Set<String>
  ) -> Bool {
    SoundServer(variable: { variables[$0] }, exists: { paths.contains($0) })
      .isAvailable(plugin: plugin)
  }
}
