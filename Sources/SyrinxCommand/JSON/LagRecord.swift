import SpeechClient

/// What `listen --json` tells of a recogniser that is too slow; times in seconds from the beginning
/// of the audio.
struct LagRecord: Encodable {
  let event: String
  var seconds: Double?
  var start: Double?
  var end: Double?

  /// Nil for what is no lag.
  init?(_ event: SpeechRecognitionEvent) {
    switch event {
    case .lagging(let lag):
      self.event = "lagging"
      seconds = lag.inRecordSeconds
    case .dropped(let range):
      self.event = "dropped"
      (start, end) = (range.lowerBound.inRecordSeconds, range.upperBound.inRecordSeconds)
    default: return nil
    }
  }

  /// What the help says about it.
  static let schema = """
    Where the engine is too slow, further objects have "event": lagging with "seconds" (how much sound \
    waits, 0 when it has caught up) or dropped with "start" and "end" (what was not heard).
    """
}
