import AudioCore

/// Builds cues of readable length from final transcriptions.
///
/// It cuts at pauses and at the ends of sentences.
///
/// A cue never spans utterances. Add the final transcriptions in order and call `flush` at the end.
/// A short cue is held until the next cue determines how long the short cue can be shown.
public struct CueBuilder: Sendable {
  private let policy: CuePolicy
  private var held: Cue?
  /// The number of characters of the speaker's name before the first line.
  private var reserved = 0

  /// The start of the cue that `add` has held back; nil if there is none.
  package var heldStart: Duration? { held?.start }

  /// Creates a builder with this policy.
  public init(policy: CuePolicy = CuePolicy()) {
    self.policy = policy
  }

  /// Adds an utterance, with the name of its speaker if that is known, and returns the completed
  /// cues, in order.
  public mutating func add(_ transcription: Transcription, speaker: String? = nil) -> [Cue] {
    var rest = transcription.segments[...]
    var ready: [Cue] = []
    reserved = speaker.map { "\($0): ".count } ?? 0
    while !rest.isEmpty {
      let count = cueLength(of: rest)
      var cue = cue(of: rest.prefix(count))
      cue.speaker = speaker
      ready += replaceHeld(with: cue)
      rest = rest.dropFirst(count)
    }
    return ready + releaseIfLongEnough()
  }

  /// Returns the last cue, which `add` has held back; empty if there is none.
  public mutating func flush() -> [Cue] {
    guard let last = held.take() else { return [] }
    return [extended(last, before: nil)]
  }

  /// Returns the number of words in the next cue, at least 1.
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

  /// Returns the number of words in a cue that must end because of its size limit.
  ///
  /// Of the first `count` words, the cue gets those before the longest silence in the second half.
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
      && policy.fits(words.map(\.substring), reserved: reserved)
  }

  private func cue(of words: ArraySlice<TranscriptionSegment>) -> Cue {
    Cue(
      start: words.first?.timestamp ?? .zero, end: words.last?.end ?? .zero,
      lines: policy.lines(of: words.map(\.substring), reserved: reserved))
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

  /// Extends a short cue to the minimum duration, but not into the next cue.
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
  /// Whether the word ends a sentence.
  ///
  /// It has a closing mark, the next word does not begin with a lowercase letter, and it is neither
  /// an initial nor an abbreviation that precedes a name.
  package func endsSentence(before next: String) -> Bool {
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

/// The limits that keep cues readable; the defaults are those of broadcasters.
public struct CuePolicy: Hashable, Sendable {
  /// The maximum number of characters in a line; a single word may exceed it.
  public var charactersPerLine: Int
  /// The maximum number of lines in a cue.
  public var linesPerCue: Int
  /// The maximum duration of a cue's words; a single word may exceed it.
  public var maximumDuration: Duration
  /// The minimum duration of a cue, unless the next cue begins sooner.
  public var minimumDuration: Duration
  /// The minimum pause between words that ends a cue.
  public var pause: Duration
  /// The time between an extended cue and the next cue.
  public var gap: Duration

  /// Creates a policy; if `charactersPerLine` or `linesPerCue` is below 1, it counts as 1.
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

extension CuePolicy {
  private var width: Int { max(1, charactersPerLine) }

  /// Whether the words fit into a cue; a word longer than a line gets its own line.
  ///
  /// The first line has `reserved` characters less.
  fileprivate func fits(_ words: some Collection<String>, reserved: Int) -> Bool {
    lines(of: words, width: width, reserved: reserved).count <= max(1, linesPerCue)
  }

  /// Returns the words in as few lines as possible, of about equal length.
  fileprivate func lines(of words: some Collection<String>, reserved: Int) -> [String] {
    let widest = lines(of: words, width: width, reserved: reserved)
    guard widest.count > 1 else { return widest }
    let narrow = (1..<width).first {
      lines(of: words, width: $0, reserved: reserved).count <= widest.count
    }
    return narrow.map { lines(of: words, width: $0, reserved: reserved) } ?? widest
  }

  private func lines(
    of words: some Collection<String>, width: Int, reserved: Int
  ) -> [String] {
    var lines: [String] = []
    var room = 0
    for word in words {
      let gap = lines.last?.separator(before: word) ?? ""
      if let last = lines.indices.last, room >= gap.count + word.count {
        lines[last] += gap + word
        room -= gap.count + word.count
      } else {
        room = width - word.count - (lines.isEmpty ? reserved : 0)
        lines.append(word)
      }
    }
    return lines
  }
}

/// A text format for cues.
public enum CueFormat: String, Hashable, Sendable, CaseIterable {
  /// SubRip: numbered cues, times as `00:00:01,500`.
  case srt
  /// WebVTT for browsers: times as `00:00:01.500`; `&`, `<`, and `>` are escaped.
  case vtt
  /// A tab-separated table of start and end in milliseconds, and text.
  case tsv

  /// The first line of a file, without the line feed; nil if the file begins with a cue.
  public var header: String? {
    switch self {
    case .srt: nil
    case .vtt: "WEBVTT\n"
    case .tsv: "start\tend\ttext"
    }
  }

  /// Returns the text of a cue without the last line feed; `number` counts cues from 1.
  public func text(of cue: Cue, number: Int) -> String {
    let lines = cue.lines.joined(separator: "\n")
    let times = [cue.start, cue.end].map { max(0, $0.wholeMilliseconds) }
    let (start, end) = (times[0], times[1])
    let speaker = cue.speaker.map { row([$0]) }
    let name = speaker.map { "\($0): " } ?? ""
    let voice = speaker.map { "<v \(escaped($0))>" } ?? ""
    return switch self {
    case .srt: "\(number)\n\(clock(start, ",")) --> \(clock(end, ","))\n\(name)\(lines)\n"
    case .vtt: "\(clock(start, ".")) --> \(clock(end, "."))\n\(voice)\(escaped(lines))\n"
    case .tsv: "\(start)\t\(end)\t\(name)\(row(cue.lines))"
    }
  }

  private func row(_ lines: [String]) -> String {
    String(lines.joinedAsWritten.map { $0 == "\t" || $0.isNewline ? " " : $0 })
  }

  private func clock(_ thousandths: Int, _ point: String) -> String {
    let seconds = thousandths / 1_000
    let parts = [seconds / 3_600, seconds / 60 % 60, seconds % 60].map { digits($0, 2) }
    return parts.joined(separator: ":") + point + digits(thousandths % 1_000, 3)
  }

  private func digits(_ number: Int, _ count: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }

  private func escaped(_ text: String) -> String {
    text.reduce(into: "") { escaped, character in
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      default: escaped.append(character)
      }
    }
  }
}

/// A timed piece of a transcript, such as a subtitle.
public struct Cue: Hashable, Sendable {
  /// The start, from the beginning of the audio.
  public var start: Duration
  /// The end, from the beginning of the audio.
  public var end: Duration
  /// The lines, from top to bottom.
  public var lines: [String]
  /// The name of the speaker, which precedes the lines; nil if it is unknown.
  public var speaker: String?

  /// Creates a cue.
  public init(start: Duration, end: Duration, lines: [String], speaker: String? = nil) {
    self.start = start
    self.end = end
    self.lines = lines
    self.speaker = speaker
  }
}
