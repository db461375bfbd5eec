import AudioCore
import SpeechClient

/// What people are told of sound that was lost: for each reason at most a line in a second of
/// sound, because a machine that is too slow loses a little again and again.
struct LossSummary {
  /// How much sound lies at least between two lines about one reason.
  static let interval = Duration.seconds(1)

  /// What was lost for one reason.
  private struct Loss {
    var reason: SpeechRecognitionEvent.DropReason
    /// Where the sound has to be for the next line.
    var next = Duration.zero
    /// What has not been told: where it begins, how long it is, and in how many places.
    var untold: (begin: Duration, length: Duration, count: Int)?

    mutating func add(
      _ stretch: Range<Duration>, _ reason: SpeechRecognitionEvent.DropReason
    ) {
      self.reason = untold == nil ? reason : self.reason.joined(with: reason) ?? reason
      let length = stretch.upperBound - stretch.lowerBound
      let before = untold ?? (stretch.lowerBound, .zero, 0)
      untold = (before.begin, before.length + length, before.count + 1)
    }

    mutating func line() -> String? {
      untold.take().map { untold in
        untold.count == 1
          ? reason.sentence(about: untold.begin..<(untold.begin + untold.length))
          : reason.sentence(about: untold.length, in: untold.count, from: untold.begin)
      }
    }
  }

  private var losses: [Loss] = []

  /// Takes a stretch that was lost, and gives the lines that are due.
  mutating func add(
    _ stretch: Range<Duration>, _ reason: SpeechRecognitionEvent.DropReason
  ) -> [String] {
    // That costs an utterance each time, and each has a reason of its own.
    if case .engineFailed = reason { return finish() + [reason.sentence(about: stretch)] }
    let index = losses.firstIndex { $0.reason.joined(with: reason) != nil } ?? losses.endIndex
    if index == losses.endIndex { losses.append(Loss(reason: reason)) }
    losses[index].add(stretch, reason)
    return reach(stretch.upperBound)
  }

  /// The sound has come so far; gives the lines that are due.
  mutating func reach(_ time: Duration) -> [String] {
    losses.indices.compactMap { index in
      guard time >= losses[index].next, let line = losses[index].line() else { return nil }
      losses[index].next = time + Self.interval
      return line
    }
  }

  /// Gives the lines about what has not been told.
  mutating func finish() -> [String] {
    losses.indices.compactMap { losses[$0].line() }
  }
}

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
