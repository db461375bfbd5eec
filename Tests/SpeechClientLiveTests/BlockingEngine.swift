import AudioCore
import AudioThreads
import Dispatch
import SpeechEngine

/// An engine that blocks in one of its calls until it is let go; it hears one word in everything.
final class BlockingEngine: Sendable {
  enum Place {
    case making, beginning, processing, finishing
  }

  /// Open once the call has been made.
  let reached = Gate()
  private let place: Place
  private let permission = DispatchSemaphore(value: 0)

  init(in place: Place) {
    self.place = place
  }

  var engine: SpeechEngine {
    var engine = SpeechEngine(
      name: "blocking",
      availability: { .ready(SpeechModel(language: "en-US", location: "test")) },
      makeSession: { _ in
        self.pass(.making)
        return Session(engine: self)
      })
    engine.makeListener = { _ in Listener() }
    return engine
  }

  /// Lets all calls pass, now and later.
  func release() {
    permission.signal()
  }

  private func pass(_ place: Place) {
    guard place == self.place else { return }
    reached.open()
    permission.wait()
    permission.signal()
  }

  /// It knows nothing: each utterance stands for itself.
  private final class Listener: SpeechStreamListener {
    var knowledge: any Sendable { 0 }

    func hear(_ utterance: [[Float]]) {}
  }

  private final class Session: SpeechEngineSession {
    private let engine: BlockingEngine

    init(engine: BlockingEngine) {
      self.engine = engine
    }

    var hypothesis: SpeechHypothesis { SpeechHypothesis() }

    func beginUtterance() { engine.pass(.beginning) }
    func beginUtterance(knowing knowledge: any Sendable) { engine.pass(.beginning) }
    func process(_ samples: [Float]) { engine.pass(.processing) }

    func finishUtterance() -> SpeechHypothesis {
      engine.pass(.finishing)
      return SpeechHypothesis(words: [SpeechHypothesis.Word("word", frames: 0..<3200)])
    }
  }
}
