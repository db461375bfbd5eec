public import SpeechClient

/// Makes cues of utterances as they become final: of readable length, cut where the speaker pauses and
/// where a sentence ends.
///
/// A cue never spans utterances. Give it the final transcriptions in order, and call `finish` at
/// the end: a cue that is too short is held until it is known how long it may stay.
public struct CueBuilder: Sendable {
  private let policy: CuePolicy
  private let lines: CueLines
  private var held: Cue?

  /// A builder that keeps to the policy.
  public init(policy: CuePolicy = CuePolicy()) {
    self.policy = policy
    lines = CueLines(policy)
  }

  /// The cues that are complete with this utterance, in order.
  public mutating func add(_ transcription: Transcription) -> [Cue] {
    var rest = transcription.segments[...]
    var ready: [Cue] = []
    while !rest.isEmpty {
      let count = cueLength(of: rest)
      ready += replaceHeld(with: cue(of: rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    return ready + releaseIfLongEnough()
  }

  /// The cue that was held, if any.
  public mutating func finish() -> [Cue] {
    guard let last = held.take() else { return [] }
    return [extended(last, before: nil)]
  }

  /// How many of the words, 1 at least, make the next cue.
  private func cueLength(of words: ArraySlice<TranscriptionSegment>) -> Int {
    var count = 1
    while count < words.count {
      let next = words.startIndex + count
      let isEnd = words[next - 1].substring.endsSentence(before: words[next].substring)
      if isEnd || pause(before: next, in: words) >= policy.pause { return count }
      guard fits(words.prefix(count + 1)) else { return forcedLength(of: words, atMost: count) }
      count += 1
    }
    return count
  }

  /// Where there is no pause to cut at, the longest silence in the latter half has to do.
  private func forcedLength(of words: ArraySlice<TranscriptionSegment>, atMost count: Int) -> Int {
    let candidates = max(1, (count + 1) / 2)...count
    return candidates.reversed().max {
      pause(before: words.startIndex + $0, in: words)
        < pause(before: words.startIndex + $1, in: words)
    } ?? count
  }

  private func pause(before index: Int, in words: ArraySlice<TranscriptionSegment>) -> Duration {
    words[index].timestamp - words[index - 1].end
  }

  private func fits(_ words: ArraySlice<TranscriptionSegment>) -> Bool {
    guard let first = words.first, let last = words.last else { return true }
    return last.end - first.timestamp <= policy.maximumDuration
      && lines.fit(words.map(\.substring))
  }

  private func cue(of words: ArraySlice<TranscriptionSegment>) -> Cue {
    Cue(
      start: words.first?.timestamp ?? .zero, end: words.last?.end ?? .zero,
      lines: lines.lines(of: words.map(\.substring)))
  }

  private mutating func replaceHeld(with next: Cue) -> [Cue] {
    defer { held = next }
    return held.map { [extended($0, before: next)] } ?? []
  }

  private mutating func releaseIfLongEnough() -> [Cue] {
    guard let cue = held, cue.end - cue.start >= policy.minimumDuration else { return [] }
    held = nil
    return [cue]
  }

  /// A short cue stays a while, but not into the next.
  private func extended(_ cue: Cue, before next: Cue?) -> Cue {
    var cue = cue
    let wanted = max(cue.end, cue.start + policy.minimumDuration)
    let latest = next.map { max(cue.end, $0.start - policy.gap) }
    cue.end = latest.map { min(wanted, $0) } ?? wanted
    return cue
  }
}

extension TranscriptionSegment {
  fileprivate var end: Duration { timestamp + duration }
}

extension String {
  /// Whether a sentence ends with the word: a mark says so, the next one does not begin with a small
  /// letter, and it is neither an initial nor an abbreviation that a name follows.
  fileprivate func endsSentence(before next: String) -> Bool {
    guard next.first(where: { $0.isLetter || $0.isNumber })?.isLowercase != true else {
      return false
    }
    let bare = trimmingSuffix { "\"'\u{2019}\u{201D}\u{BB})]\u{300D}\u{300F}\u{FF09}".contains($0) }
    guard let mark = bare.last, ".?!\u{2026}\u{3002}\u{FF01}\u{FF1F}\u{FF61}".contains(mark) else {
      return false
    }
    let word = bare.trimmingSuffix { $0 == "." }
    let isShort = word.count < 2 && word.first?.isLetter == true && word != "I"
    return mark != "." || !(isShort || word.contains(".") || Self.titles.contains(String(word)))
  }

  private static let titles: Set<String> = ["Mr", "Mrs", "Ms", "Dr", "Prof", "St", "vs"]
}

extension StringProtocol {
  fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> SubSequence {
    self[..<(lastIndex { !isTrimmed($0) }.map(index(after:)) ?? startIndex)]
  }
}

/// The limits that keep cues readable; the defaults are those that broadcasters use.
public struct CuePolicy: Hashable, Sendable {
  /// The most characters in a line; a single word may be longer.
  public var charactersPerLine: Int
  /// The most lines in a cue.
  public var linesPerCue: Int
  /// The longest that the words of a cue may last; a single word may last longer.
  public var maximumDuration: Duration
  /// How long a cue stays at least, if the next one does not begin sooner.
  public var minimumDuration: Duration
  /// A pause between words that ends a cue.
  public var pause: Duration
  /// The time between the end of a cue that stays longer than its words and the next cue.
  public var gap: Duration

  /// A policy from its parts; numbers below 1 count as 1.
  public init(
    charactersPerLine: Int = 42, linesPerCue: Int = 2, maximumDuration: Duration = .seconds(7),
    minimumDuration: Duration = .seconds(1), pause: Duration = .milliseconds(700),
    gap: Duration = .milliseconds(80)
  ) {
    self.charactersPerLine = charactersPerLine
    self.linesPerCue = linesPerCue
    self.maximumDuration = maximumDuration
    self.minimumDuration = minimumDuration
    self.pause = pause
    self.gap = gap
  }
}

/// Breaks the words of a cue into lines.
private struct CueLines {
  let charactersPerLine: Int
  let count: Int

  init(_ policy: CuePolicy) {
    charactersPerLine = max(1, policy.charactersPerLine)
    count = max(1, policy.linesPerCue)
  }

  /// Whether the words have room; a word that is too long for a line has one for itself.
  func fit(_ words: some Collection<String>) -> Bool {
    lines(of: words, width: charactersPerLine).count <= count
  }

  /// As few lines as possible, about as long as each other.
  func lines(of words: some Collection<String>) -> [String] {
    let widest = lines(of: words, width: charactersPerLine)
    guard widest.count > 1 else { return widest }
    let narrow = (1..<charactersPerLine).first {
      lines(of: words, width: $0).count <= widest.count
    }
    return narrow.map { lines(of: words, width: $0) } ?? widest
  }

  private func lines(of words: some Collection<String>, width: Int) -> [String] {
    var lines: [String] = []
    var room = 0
    for word in words {
      let gap = lines.last?.separator(before: word) ?? ""
      if let last = lines.indices.last, room >= gap.count + word.count {
        lines[last] += gap + word
        room -= gap.count + word.count
      } else {
        lines.append(word)
        room = width - word.count
      }
    }
    return lines
  }
}
