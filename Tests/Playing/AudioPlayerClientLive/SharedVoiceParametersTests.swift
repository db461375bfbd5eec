import AudioPlayerClient
import AudioThreads
import Testing

@testable import AudioPlayerClientLive

@Suite struct SharedVoiceParametersTests {
  private let shared = SharedVoiceParameters("a", gain: 1)

  @Test func `written parameters are read exactly once, and completely`() {
    let shared = SharedVoiceParameters("a", gain: 20)
    #expect(shared.current.parameters.gain == 10)
    #expect(shared.read(after: shared.current.serial) == nil)
    let serial = shared.update { parameters in
      parameters = VoiceParameters(
        isPaused: true, isStopping: true, flushCount: 7, fade: .milliseconds(3), gain: 0.5,
        ramp: .seconds(2))
    }
    let reading = shared.read(after: serial - 1)
    #expect(reading?.serial == serial)
    #expect(reading?.parameters == shared.current.parameters)
    #expect(shared.read(after: serial) == nil)
  }

  @Test func `a reader never sees half of a change`() async throws {
    shared.update { $0.fade = .zero }
    let hasRead = Gate()
    let isOver = Gate()
    let reader = try DedicatedThread.start(name: "reader") { [shared] in
      var serial = 0
      while !isOver.isOpen {
        guard let reading = shared.read(after: serial) else { continue }
        #expect(reading.serial > serial)
        #expect(reading.parameters.fade == .nanoseconds(reading.parameters.flushCount))
        #expect(reading.parameters.isPaused == !reading.parameters.flushCount.isMultiple(of: 2))
        serial = reading.serial
        hasRead.open()
      }
    }
    await hasRead.wait()
    for _ in 0..<20_000 {
      shared.update { parameters in
        parameters.flushCount += 1
        parameters.fade = .nanoseconds(parameters.flushCount)
        parameters.isPaused.toggle()
      }
    }
    isOver.open()
    await reader.join()
  }

  @Test func `a waiting command returns when its parameters or later ones are in effect`()
    async throws
  {
    async let first: Void = shared.waitUntilSettled(1)
    async let second: Void = shared.waitUntilSettled(2)
    shared.settle(2)
    try await first
    try await second
    try await shared.waitUntilSettled(2)
  }

  @Test func `when a playback ends, its waiting commands fail`() async {
    let waiting = Task { [shared] in try await shared.waitUntilSettled(3) }
    shared.settle(2)
    shared.end()
    await #expect(throws: AudioPlayerError.unknownPlayback("a")) { try await waiting.value }
    await #expect(throws: AudioPlayerError.unknownPlayback("a")) {
      try await shared.waitUntilSettled(3)
    }
  }

  @Test func `a canceled task does not wait until its command takes effect`() async {
    let waiting = Task { [shared] in try await shared.waitUntilSettled(1) }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
  }
}
