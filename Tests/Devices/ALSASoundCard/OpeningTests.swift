import AudioCore
import ClientDependencies
import Glibc
import SoundCard
import Testing

@testable import ALSASoundCard

@Suite(.timeLimit(.minutes(5))) struct OpeningTests {
  let card = SoundCard.liveValue

  init() throws { _ = try TestALSA.ready() }

  @Test(arguments: AudioDevice.Direction.allCases)
  func `without a sound card, opening the default device throws noSoundCard`(
    direction: AudioDevice.Direction
  ) async {
    let request = PCMRequest(format: .speech)
    await #expect(throws: SoundCardError.noSoundCard(direction)) {
      try await open(request, direction)
    }
  }

  @Test(arguments: ["nosuch", "hw:31", "hw:CARD=Nope,DEV=0", "plughw:31,7"])
  func `an unknown device name throws unknownDevice with the direction`(
    name: String
  ) async {
    for direction in AudioDevice.Direction.allCases {
      await #expect(
        throws: SoundCardError.unknownDevice(AudioDevice.ID(rawValue: name), direction)
      ) { try await open(request(name), direction) }
    }
  }

  @Test func `a device in use throws busy at once`() async {
    let name = testCard("open_error=\(EBUSY)")
    let error = await #expect(throws: SoundCardError.self) {
      try await open(request(name), .playback)
    }
    // The holder is not checked, because a card of this machine may be in use.
    guard case .busy(AudioDevice.ID(rawValue: name), _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `an inaccessible device throws permissionDenied`() async {
    let name = testCard("open_error=\(EACCES)")
    await #expect(throws: SoundCardError.permissionDenied(AudioDevice.ID(rawValue: name))) {
      try await open(request(name), .capture)
    }
  }

  @Test func `a device without a supported sample format throws unsupported with a reason`() async {
    let name = testCard("format=S8")
    await #expect(
      throws: SoundCardError.unsupported(
        AudioDevice.ID(rawValue: name),
        reason: "it supports neither float nor 32-, 24-, or 16-bit samples")
    ) { try await open(request(name), .playback) }
  }

  @Test func `the opening limit is measured with the caller's clock`() async throws {
    let clock = TestClock<Duration>()
    let name = testCard("block_in=open block_ms=600000")
    let opening = withDependencies {
      $0.continuousClock = clock
    } operation: {
      Task { try await card.openPlayback(request(name)) }
    }
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: .seconds(5))
    await #expect(
      throws: SoundCardError.notResponding(AudioDevice.ID(rawValue: name), operation: "alsa-open")
    ) { _ = try await opening.value }
  }

  @Test func `opening in a canceled task throws CancellationError`() async {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await openPlayback(testCard(""))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `a device opens and plays through the client's endpoints`() async throws {
    let playback = try await openPlayback(testCard(""))
    #expect(playback.configuration.format == AudioFormat(sampleRate: 48_000, channelCount: 1))
    let capture = try await onRealTime { try await card.openCapture(request(testCard(""))) }
    #expect(capture.configuration.buffer == 48_000)
    playback.close()
    capture.close()
  }

  @Test func `the list contains the user's devices but neither null nor an unusable default`()
    async throws
  {
    let devices = try await onRealTime { try await card.devices() }
    let test = try #require(devices.first { $0.id == "syrinxtest" })
    #expect(test.name == "Syrinx' test card")
    #expect(test.directions == [.playback, .capture])
    #expect(!devices.contains { $0.id == "null" })
  }

  private func open(_ request: PCMRequest, _ direction: AudioDevice.Direction) async throws {
    try await onRealTime {
      switch direction {
      case .playback: _ = try await card.openPlayback(request)
      case .capture: _ = try await card.openCapture(request)
      }
    }
  }

  private func openPlayback(_ device: String) async throws -> any PlaybackPCM {
    try await onRealTime { try await card.openPlayback(request(device)) }
  }

  private func onRealTime<Value>(_ body: () async throws -> Value) async throws -> Value {
    try await withDependencies {
      $0.continuousClock = ContinuousClock()
    } operation: {
      try await body()
    }
  }
}
