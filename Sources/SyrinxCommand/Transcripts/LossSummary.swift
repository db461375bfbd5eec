import AudioCore
import SpeechClient

/// Summarizes lost audio for people: at most one line per reason and second of audio, because a
/// machine that is too slow loses a little audio repeatedly.
struct LossSummary {
  /// The minimum length of audio between two lines about one reason.
  private static let interval = Duration.seconds(1)

  /// The losses for one reason.
  private struct Loss {
    var reason: SpeechRecognitionEvent.DropReason
    /// The position of the audio from which on the next line is due.
    var next = Duration.zero
    /// What has not been reported: begin, total length, and number of places.
    var unreported: (begin: Duration, length: Duration, count: Int)?

    mutating func add(
      _ range: Range<Duration>, _ reason: SpeechRecognitionEvent.DropReason
    ) {
      self.reason = unreported == nil ? reason : self.reason.joined(with: reason) ?? reason
      let length = range.upperBound - range.lowerBound
      let before = unreported ?? (range.lowerBound, .zero, 0)
      unreported = (before.begin, before.length + length, before.count + 1)
    }

    mutating func line() -> String? {
      unreported.take().map { loss in
        loss.count == 1
          ? reason.sentence(about: loss.begin..<(loss.begin + loss.length))
          : reason.sentence(about: loss.length, in: loss.count, from: loss.begin)
      }
    }
  }

  private var losses: [Loss] = []

  /// Adds a lost range and returns the lines that are due.
  mutating func add(
    _ range: Range<Duration>, _ reason: SpeechRecognitionEvent.DropReason
  ) -> [String] {
    // Each failure loses an utterance and has a reason of its own.
    if case .engineFailed = reason { return finish() + [reason.sentence(about: range)] }
    let index = losses.firstIndex { $0.reason.joined(with: reason) != nil } ?? losses.endIndex
    if index == losses.endIndex { losses.append(Loss(reason: reason)) }
    losses[index].add(range, reason)
    return reach(range.upperBound)
  }

  /// Advances to a position in the audio and returns the lines that are due.
  mutating func reach(_ time: Duration) -> [String] {
    losses.indices.compactMap { index in
      guard time >= losses[index].next, let line = losses[index].line() else { return nil }
      losses[index].next = time + Self.interval
      return line
    }
  }

  /// Returns the lines about everything that has not been reported.
  mutating func finish() -> [String] {
    losses.indices.compactMap { losses[$0].line() }
  }
}

extension SpeechRecognitionEvent.DropReason {
  /// The message about one range.
  func sentence(about range: Range<Duration>) -> String {
    let length = range.upperBound - range.lowerBound
    return "\(length.secondsText) of audio at \(range.lowerBound.clockText) \(consequence)"
  }

  /// The message about several ranges; the first one begins at `begin`.
  fileprivate func sentence(about length: Duration, in count: Int, from begin: Duration) -> String {
    "\(length.secondsText) of audio in \(count) places from \(begin.clockText) on \(consequence)"
  }

  /// The reason for this loss and another one of the same kind; nil if they have nothing in common.
  fileprivate func joined(with other: Self) -> Self? {
    switch (self, other) {
    case (.nonFinite(let count), .nonFinite(let more)): .nonFinite(sampleCount: count + more)
    case (.engineFailed, _): nil
    default: self == other ? self : nil
    }
  }

  private var consequence: String {
    switch self {
    case .engineTooSlow: "was dropped: recognition lags too far behind"
    case .engineFailed(let error): "was dropped: \(error)"
    case .nonFinite(let count):
      "contains \(count) NaN or infinite samples, replaced by silence"
    case .gap: "was lost during capture; is this machine too slow or busy?"
    }
  }
}
