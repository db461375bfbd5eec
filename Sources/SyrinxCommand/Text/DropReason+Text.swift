import SpeechClient

extension SpeechRecognitionEvent.DropReason {
  /// What people are told of a stretch that was not understood.
  func sentence(about stretch: Range<Duration>) -> String {
    let length = stretch.upperBound - stretch.lowerBound
    return "\(length.secondsText) of sound at \(stretch.lowerBound.clockText) \(fate)"
  }

  /// The same of several stretches, of which the first begins at `begin`.
  func sentence(about length: Duration, in count: Int, from begin: Duration) -> String {
    "\(length.secondsText) of sound in \(count) places from \(begin.clockText) on \(fate)"
  }

  private var fate: String {
    switch self {
    case .engineTooSlow: "were dropped: too much waited for the recogniser"
    case .engineFailed(let error): "were dropped: \(error)"
    case .gap: "were lost before they were heard; is this machine too slow or busy?"
    }
  }
}
