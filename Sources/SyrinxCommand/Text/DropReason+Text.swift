import SpeechClient

extension SpeechRecognitionEvent.DropReason {
  /// What people are told of a stretch that was not understood.
  func sentence(about stretch: Range<Duration>) -> String {
    let length = stretch.upperBound - stretch.lowerBound
    return "\(length.secondsText) of sound at \(stretch.lowerBound.clockText) \(fate)"
  }

  private var fate: String {
    switch self {
    case .engineTooSlow: "were dropped: too much waited for the recogniser"
    case .engineFailed(let error): "were dropped: \(error)"
    case .gap: "were lost before they were heard; is this machine too slow or busy?"
    }
  }
}
