import AudioCore
import AudioThreads
import Dispatch
import SpeechEngine
import TestTools

/// An engine that blocks in one of its calls until it is released or, if the call permits,
/// interrupted; it recognizes one word in any audio.
final class BlockingEngine: Sendable {
  enum Place {
    case making, preparing, beginning, processing, guessing, finishing
  }

  /// Open once the call has been made.
  let reached = Gate()
  /// Open once a call has been interrupted.
  let interrupted = Gate()
  private let place: Place
  private let canBeInterrupted: Bool
  private let permission = DispatchSemaphore(value: 0)

  init(in place: Place, canBeInterrupted: Bool = false) {
    self.place = place
    self.canBeInterrupted = canBeInterrupted
  }

  var engine: SpeechEngine {
    SpeechEngine(
      name: "blocking",
      availability: { .ready(SpeechModel(language: "en-US", location: "test")) },
      makeSession: { _ in
        self.pass(.making)
        return Session(engine: self)
      })
  }

  /// Lets the blocked call and all later calls return.
  func release() {
    permission.signal()
  }

  private func pass(_ place: Place) {
    guard place == self.place else { return }
    reached.open()
    permission.wait()
    permission.signal()
  }

  private final class Session: SpeechEngineSession {
    private let engine: BlockingEngine
    private let isInterrupted = Gate()

    init(engine: BlockingEngine) {
      self.engine = engine
    }

    var interrupt: @Sendable () -> Void {
      guard engine.canBeInterrupted else { return {} }
      return { [isInterrupted, engine] in
        isInterrupted.open()
        engine.release()
      }
    }

    var hypothesis: SpeechHypothesis {
      get throws(SpeechEngineError) {
        try pass(.guessing)
        return SpeechHypothesis()
      }
    }

    func prepare() throws(SpeechEngineError) { try pass(.preparing) }
    func beginUtterance() throws(SpeechEngineError) { try pass(.beginning) }
    func process(_ samples: [Float]) throws(SpeechEngineError) { try pass(.processing) }

    private func pass(_ place: Place) throws(SpeechEngineError) {
      engine.pass(place)
      guard isInterrupted.isOpen else { return }
      engine.interrupted.open()
      throw .interrupted
    }

    func finishUtterance() throws(SpeechEngineError) -> SpeechHypothesis {
      try pass(.finishing)
      return SpeechHypothesis(words: [SpeechHypothesis.Word("word", frames: 0..<3200)])
    }
  }
}
