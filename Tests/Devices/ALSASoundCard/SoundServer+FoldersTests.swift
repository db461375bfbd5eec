import Testing

@testable import ALSASoundCard

@Suite struct SoundServerFoldersTests {
  private func paths(_ variables: [String: String]) -> [String] {
    SoundServer(variable: { variables[$0] }, exists: { _ in false }).deviceFolders(ofUser: 1_000)
  }

  @Test func `the folders of cards and of servers are watched`() {
    #expect(
      paths([:]) == ["/dev/snd", "/dev", "/run/user/1000/pulse", "/run/user/1000"])
  }

  @Test func `server folders from the environment are watched`() {
    let paths = paths([
      "XDG_RUNTIME_DIR": "/run/x", "PULSE_SERVER": "unix:/srv/pulse/native",
      "PULSE_RUNTIME_PATH": "/srv/pulse", "PIPEWIRE_RUNTIME_DIR": "/srv/pipewire",
    ])
    #expect(paths == ["/dev/snd", "/dev", "/srv/pulse", "/srv/pipewire", "/run/x"])
  }

  @Test func `a remote server has no folder to watch`() {
    #expect(paths(["PULSE_SERVER": "tcp:studio:4713"]).count == 4)
  }

  @Test(arguments: [
    ("pcmC0D0p", true), ("controlC1", true), ("native", true), ("pipewire-0", true), ("snd", true),
    ("seq", false), ("timer", false), ("tty7", false), ("autospawn.lock", false),
  ])
  func `only changes of device files and server sockets count as device changes`(
    name: String, isWorth: Bool
  ) {
    #expect(SoundServer.isDeviceChange(name) == isWorth)
  }
}
