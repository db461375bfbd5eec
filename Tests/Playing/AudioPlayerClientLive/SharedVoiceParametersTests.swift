import AudioThreads
import Testing

@testable import AudioPlayerClientLive

@Suite struct SharedVoiceParametersTests {
  @Test func `written parameters are read once and completely`() {
    let shared = SharedVoiceParameters(gain: 20)
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

  @Test func `a reader never reads half of a change`() async throws {
    let shared = SharedVoiceParameters(gain: 1)
    shared.update { $0.fade = .zero }
    let hasRead = Gate()
    let isOver = Gate()
    let reader = try DedicatedThread.start(name: "reader") {
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
}
