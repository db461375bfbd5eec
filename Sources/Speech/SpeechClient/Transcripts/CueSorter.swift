import Glibc

/// Builds the cues of each channel, and sorts them by their starts, as WebVTT requires.
///
/// Without it, the cues of a long utterance would precede those of a speaker who interrupts it.
package struct CueSorter: Sendable {
  /// The time after which a cue is complete, even if its builder still holds it.
  private static let longestHold = Duration.seconds(10)

  private let policy: CuePolicy
  /// The builders by channel; nil for audio without channels.
  private var builders: [Int?: CueBuilder] = [:]
  /// The cues that a cue of another channel may precede.
  private var pending: [Cue] = []
  /// The start of the last returned cue.
  private var latest = Duration.zero

  /// Creates a sorter of cues with this policy.
  package init(policy: CuePolicy = CuePolicy()) {
    self.policy = policy
  }

  /// Adds a transcription, and returns the cues that no later transcription can precede.
  ///
  /// The transcriptions are in the order of their starts.
  package mutating func add(_ transcription: Transcription, of channel: Int?, speaker: String?)
    -> [Cue]
  {
    var builder = builders[channel] ?? CueBuilder(policy: policy)
    pending += builder.add(transcription, speaker: speaker)
    builders[channel] = builder
    guard channel != nil, let time = transcription.segments.first?.timestamp else {
      return sorted(upTo: nil)
    }
    flush { $0 + Self.longestHold <= time }
    return sorted(upTo: builders.values.compactMap(\.heldStart).reduce(time, min))
  }

  /// Returns all remaining cues.
  package mutating func flush() -> [Cue] {
    flush { _ in true }
    return sorted(upTo: nil)
  }

  /// Takes the cues from the builders that hold one with such a start.
  private mutating func flush(where isComplete: (_ start: Duration) -> Bool) {
    for channel in builders.keys {
      guard let start = builders[channel]?.heldStart, isComplete(start) else { continue }
      pending += builders[channel]?.flush() ?? []
    }
  }

  /// Removes and returns the pending cues up to a start; nil for all.
  private mutating func sorted(upTo limit: Duration?) -> [Cue] {
    let isReady = { (cue: Cue) in limit.map { cue.start <= $0 } ?? true }
    var ready = pending.filter(isReady).sorted { $0.start < $1.start }
    pending.removeAll(where: isReady)
    for index in ready.indices {
      // The first word of an utterance may begin slightly before its sound.
      latest = max(latest, ready[index].start)
      ready[index].start = latest
      ready[index].end = max(latest, ready[index].end)
    }
    return ready
  }
}

extension Cue {
  /// Returns the words, each with the space that separates it from the text before it.
  ///
  /// The first word of a text also begins with a space, if its script has spaces.
  package func spacedWords(after text: String) -> [String] {
    var last = text
    return words.map { word in
      defer { last = word.substring }
      return (last.isEmpty ? word.substring : last).separator(before: word.substring)
        + word.substring
    }
  }

  /// The mean of the logarithms of the words' confidences; 0 if there are none.
  package var averageLogProbability: Double {
    let logarithms = words.compactMap(\.logProbability)
    return logarithms.reduce(0, +) / Double(max(1, logarithms.count))
  }
}

extension TranscriptionSegment {
  /// The logarithm of the confidence, at least that of 0.001; nil without a confidence.
  package var logProbability: Double? { confidence.map { log($0 > 0.001 ? $0 : 0.001) } }
}
