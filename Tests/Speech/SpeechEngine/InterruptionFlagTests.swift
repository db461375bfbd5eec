import Dispatch
import Testing

@testable import SpeechEngine

@Suite(.timeLimit(.minutes(5))) struct InterruptionFlagTests {
  /// A decoder whose call lasts until the test releases it.
  private final class Decoder {
    let isReleased = DispatchSemaphore(value: 0)
    let isFreed: DispatchSemaphore

    init(freed: DispatchSemaphore) {
      isFreed = freed
    }

    deinit {
      isFreed.signal()
    }
  }

  @Test func `an interrupted call is abandoned, and its decoder is freed when the call returns`() {
    let flag = InterruptionFlag()
    let isFreed = DispatchSemaphore(value: 0)
    let isReleased: DispatchSemaphore
    do {
      let decoder = Decoder(freed: isFreed)
      isReleased = decoder.isReleased
      #expect(throws: SpeechEngineError.interrupted) {
        try flag.runAbandonable(with: decoder) { decoder in
          flag.interrupt()
          decoder.isReleased.wait()
        }
      }
    }
    #expect(isFreed.wait(timeout: .now()) == .timedOut)
    isReleased.signal()
    isFreed.wait()
  }

  @Test func `a call returns its result or its error`() throws {
    let flag = InterruptionFlag()
    let decoder = Decoder(freed: DispatchSemaphore(value: 0))
    #expect(try flag.runAbandonable(with: decoder) { _ in 7 } == 7)
    #expect(throws: SpeechEngineError.failed(reason: "no words")) {
      try flag.runAbandonable(with: decoder) { _ throws(SpeechEngineError) -> Int in
        throw SpeechEngineError.failed(reason: "no words")
      }
    }
  }

  @Test func `no call begins after an interruption`() {
    let flag = InterruptionFlag()
    let decoder = Decoder(freed: DispatchSemaphore(value: 0))
    flag.interrupt()
    #expect(throws: SpeechEngineError.interrupted) {
      try flag.runAbandonable(with: decoder) { _ in Issue.record("the call began") }
    }
    #expect(throws: SpeechEngineError.interrupted) { try flag.check() }
  }
}
