import AudioCore
import SpeechEngine

/// Stands in for the engine's session where workers recognise the utterances: it collects what it
/// hears, and waits for their words.
final class PlannedSession: SpeechEngineSession {
  private let plan: UtterancePlan
  private let listener: any SpeechStreamListener
  private let whenHeard: @Sendable (Int) -> Void
  private var pieces: [[Float]] = []
  private var index = 0

  /// - Parameter whenHeard: called with the number of utterances whose words have come.
  /// - Throws: what making a session of the engine throws.
  init(
    plan: UtterancePlan, listener: any SpeechStreamListener,
    whenHeard: @escaping @Sendable (Int) -> Void
  ) throws {
    (self.plan, self.listener, self.whenHeard) = (plan, listener, whenHeard)
    try plan.check()
  }

  var hypothesis: SpeechHypothesis { SpeechHypothesis() }

  var tailPadding: Duration { listener.tailPadding }

  func beginUtterance() {
    pieces = []
  }

  func process(_ samples: [Float]) {
    pieces.append(samples)
  }

  func finishUtterance() throws(SpeechEngineError) -> SpeechHypothesis {
    let knowledge = listener.knowledge
    listener.hear(pieces)
    do {
      let (index, words) = try plan.words(of: pieces, knowing: knowledge, index: index)
      defer {
        self.index = index + 1
        whenHeard(self.index)
      }
      return try words.wait()
    } catch let error as SpeechEngineError {
      throw error
    } catch {
      throw .failed(reason: "\(error)")
    }
  }
}
