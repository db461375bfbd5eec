import FilePaths
import SpeechClient

/// What `listen` and `transcribe` tell with `--json` of sound that waits or was not understood;
/// times in seconds from the beginning of the audio.
struct LagRecord: Encodable {
  let event: String
  var seconds: Double?
  var start: Double?
  var end: Double?
  var reason: String?
  var error: String?
  var samples: Int?
  var utterance: Int?
  var file: FilePath?

  /// Nil for what is no lag.
  ///
  /// - Parameter utterance: that of which partial results were told, and no final one.
  init?(_ event: SpeechRecognitionEvent, file: FilePath? = nil, utterance: Int? = nil) {
    self.file = file
    switch event {
    case .lagging(let lag):
      self.event = "lagging"
      seconds = lag.inRecordSeconds
    case .dropped(let range, let reason):
      self.event = "dropped"
      (start, end) = (range.lowerBound.inRecordSeconds, range.upperBound.inRecordSeconds)
      switch reason {
      case .engineTooSlow: self.reason = "slow"
      case .engineFailed(let error):
        (self.reason, self.error) = ("engine", "\(error)")
        self.utterance = utterance
      case .gap: self.reason = "gap"
      case .nonFinite(let count): (self.reason, samples) = ("nonFinite", count)
      }
    default: return nil
    }
  }

  /// What the help says about it.
  static let schema = """
    Further objects have "event": lagging with "seconds" (how much sound waits because the engine is too \
    slow, 0 when it has caught up) or dropped with "start", "end" (what was not understood) and "reason": \
    slow (too much waited), gap (the microphone lost it), nonFinite ("samples" were NaN or infinite \
    and are silence) or engine (it failed; "error" says how, and "utterance" of which the partial \
    results were).
    """

  /// The same for files, which neither lag nor have gaps.
  static let droppedSchema = """
    An object with "event": dropped has "start", "end" (what was not understood), "reason": engine (it \
    failed; "error" says how, and "utterance" of which the partial results were) or nonFinite ("samples" \
    were NaN or infinite and are silence).
    """
}
