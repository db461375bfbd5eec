import AudioCore
import SpeechEngine

/// A session that follows the script.
final class ScriptedSession: SpeechEngineSession {
  private var rest: ArraySlice<ScriptedUtterance>
  private let faults: ScriptedFaults
  private let note: @Sendable (ScriptedSpeechEngine.Event) -> Void
  private var current: ScriptedUtterance?
  private var heard: FrameCount = 0

  init(
    utterances: [ScriptedUtterance], faults: ScriptedFaults,
    note: @escaping @Sendable (ScriptedSpeechEngine.Event) -> Void
  ) {
    rest = utterances[...]
    self.faults = faults
    self.note = note
  }

  deinit {
    note(.released)
  }

  var hypothesis: SpeechHypothesis {
    current?.hypothesis(after: heard) ?? SpeechHypothesis()
  }

  func beginUtterance() throws(SpeechEngineError) {
    current = rest.popFirst()
    heard = 0
    note(.began)
  }

  func process(_ samples: [Float]) throws(SpeechEngineError) {
    heard = heard + FrameCount(samples.count)
    if let error = faults.processing, heard > FrameCount(faults.failsAfter, at: .speech) {
      throw error
    }
  }

  func finishUtterance() throws(SpeechEngineError) -> SpeechHypothesis {
    if let error = faults.finishing { throw error }
    note(.finished(after: heard))
    return current?.whole ?? SpeechHypothesis()
  }
}
