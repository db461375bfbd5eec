import AudioCore
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

  /// The reason for this and for another loss of the same kind; nil where they have nothing in common.
  func joined(with other: Self) -> Self? {
    switch (self, other) {
    case (.nonFinite(let count), .nonFinite(let more)): .nonFinite(sampleCount: count + more)
    case (.engineFailed, _): nil
    default: self == other ? self : nil
    }
  }

  private var fate: String {
    switch self {
    case .engineTooSlow: "were dropped: too much waited for the recogniser"
    case .engineFailed(let error): "were dropped: \(error)"
    case .nonFinite(let count):
      "contain \(count) NaN or infinite samples, replaced by silence"
    case .gap: "were lost before they were heard; is this machine too slow or busy?"
    }
  }
}
