import AudioCore
import AudioRecorderClient
import AudioRecorderClientLive
import ClientDependencies
import SoundCard
import Testing

@Suite struct DevicesTests {
  private let known = [
    device("default", [.playback, .capture], isDefault: true), device("hw:0", [.playback]),
    device("hw:1", [.capture]), device("hw:2", [.playback, .capture]),
  ]

  private func devices(
    _ list: @escaping @Sendable () throws -> [AudioDevice]
  ) async throws -> [AudioDevice] {
    try await withDependencies {
      $0.soundCard.devices = list
    } operation: {
      try await AudioRecorderClient.liveValue.devices()
    }
  }

  @Test func `devices that cannot record are omitted, and the order is kept`() async throws {
    let found = try await devices { [known] in known }
    #expect(found.map(\.id) == ["default", "hw:1", "hw:2"])
    #expect(found.first?.isDefault == true)
  }

  @Test func `without a sound card there are no devices`() async throws {
    #expect(try await devices { throw SoundCardError.noSoundCard(.capture) }.isEmpty)
  }

  @Test func `an error of the device list becomes an AudioRecorderError`() async {
    let failure = SoundCardError.failed("hw:0", operation: "list", code: 5, reason: "it is ill")
    await #expect(throws: AudioRecorderError.device("hw:0", reason: "\(failure)")) {
      _ = try await devices { throw failure }
    }
  }
}

private func device(
  _ id: AudioDevice.ID, _ directions: Set<AudioDevice.Direction>, isDefault: Bool = false
) -> AudioDevice {
  AudioDevice(id: id, name: "a device", directions: directions, isDefault: isDefault)
}
