import AudioCore

/// Builds cues of readable length from final transcriptions.
///
/// It cuts at pauses and at the ends of sentences. A longer sentence is cut at a comma or at its
/// longest pause, but not between a number and its unit.
///
/// A cue never spans utterances. Add the final transcriptions in order and call `flush` at the end.
/// A short cue is held until the next cue determines how long the short cue can be shown.
public struct CueBuilder: Sendable {
  private let policy: CuePolicy
  private var held: Cue?
  /// The end of the last returned cue.
  private var lastEnd = Duration.zero
  /// The number of columns of the speaker's name before the first line.
  private var reserved = 0

  /// The start of the cue that `add` has held back; nil if there is none.
  package var heldStart: Duration? { held?.start }

  /// Creates a builder with this policy.
  public init(policy: CuePolicy = CuePolicy()) {
    self.policy = policy
  }

  /// Adds an utterance, with the name of its speaker if that is known, and returns the completed
  /// cues, in order.
  ///
  /// Words of white space, such as line breaks, are omitted.
  public mutating func add(_ transcription: Transcription, speaker: String? = nil) -> [Cue] {
    var rest = transcription.segments.filter { !$0.substring.allSatisfy(\.isWhitespace) }[...]
    var ready: [Cue] = []
    reserved = speaker.map { "\($0): ".columnCount } ?? 0
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
      let isEnd =
        words[next - 1].substring.endsSentence(before: words[next].substring)
        || pause(before: next, in: words) >= policy.pause
      if isEnd, !words.isWithinQuantity(next) { return count }
      guard fits(words.prefix(count + 1)) else { return forcedLength(of: words, atMost: count) }
      count += 1
    }
    return count
  }

  /// Returns the number of words in a cue that must end because of its size limit.
  ///
  /// Of the first `count` words, the cue gets those before the best break in the second half.
  private func forcedLength(of words: ArraySlice<TranscriptionSegment>, atMost count: Int) -> Int {
    let breaks = (1...count).filter { !words.isWithinQuantity(words.startIndex + $0) }
    let late = breaks.filter { $0 >= (count + 1) / 2 }
    return (late.isEmpty ? breaks : late).reversed().max {
      merit(of: words.startIndex + $0, in: words) < merit(of: words.startIndex + $1, in: words)
    } ?? count
  }

  /// Returns the pause before a word, longer after a comma; the longest one is the best break.
  private func merit(of index: Int, in words: ArraySlice<TranscriptionSegment>) -> Duration {
    let isAfterComma = words[index - 1].substring.last.map { ",;:\u{3001}\u{FF0C}".contains($0) }
    return pause(before: index, in: words) + (isAfterComma == true ? policy.pause / 2 : .zero)
  }

  private func pause(before index: Int, in words: ArraySlice<TranscriptionSegment>) -> Duration {
    words[index].timestamp - words[index - 1].end
  }

  private func fits(_ words: ArraySlice<TranscriptionSegment>) -> Bool {
    guard let first = words.first, let last = words.last else { return true }
    return last.end - first.timestamp <= policy.maximumDuration
      && words.count <= policy.wordsPerCue
      && policy.fits(words.map(\.substring), reserved: reserved)
  }

  private func cue(of words: ArraySlice<TranscriptionSegment>) -> Cue {
    Cue(
      start: words.first?.timestamp ?? .zero, end: words.last?.end ?? .zero,
      lines: policy.lines(of: words.map(\.substring), reserved: reserved), words: Array(words))
  }

  private mutating func replaceHeld(with next: Cue) -> [Cue] {
    var next = next
    let ready = held.map { [extended($0, before: next)] } ?? []
    lastEnd = ready.last?.end ?? lastEnd
    // A returned cue can no longer end sooner, so the next cue begins later.
    if lastEnd > .zero, lastEnd <= next.start {
      next.start = max(next.start, min(lastEnd + policy.gap, next.middle))
    }
    held = next
    return ready
  }

  private mutating func releaseIfLongEnough() -> [Cue] {
    guard let cue = held, cue.end - cue.start >= policy.duration(of: cue) else { return [] }
    held = nil
    lastEnd = cue.end
    return [cue]
  }

  /// Extends a cue to a readable duration, but not into the gap before the next cue.
  ///
  /// If the next cue begins too soon for the gap, the cue ends sooner, but not in its first half.
  private func extended(_ cue: Cue, before next: Cue?) -> Cue {
    var cue = cue
    let wanted = max(cue.end, cue.start + policy.duration(of: cue))
    let latest = next.map { max(cue.middle, $0.start - policy.gap) }
    // WebVTT requires a duration.
    cue.end = max(latest.map { min(wanted, $0) } ?? wanted, cue.start + .milliseconds(1))
    return cue
  }
}

extension Cue {
  fileprivate var middle: Duration { start + (end - start) / 2 }
}

extension ArraySlice<TranscriptionSegment> {
  /// Whether a number ends before the word at this index, which is the number's unit.
  fileprivate func isWithinQuantity(_ index: Int) -> Bool {
    index < endIndex && self[index - 1].substring.isNumber(of: self[index].substring)
  }
}

extension String {
  /// Whether the text is a number, and `next` is its unit, such as "percent" or "million".
  fileprivate func isNumber(of next: String) -> Bool {
    let unit = next.lowercased().trimmingSuffix { $0.isPunctuation && $0 != "%" }
    // Of "twenty-five", the last part counts.
    let part = split(separator: "-").last.map { $0.lowercased() } ?? ""
    return (last?.isNumber == true || NumberReader.isNumber(part)) && String(unit).isUnit
  }

  /// Whether the lowercase word is a unit, or multiplies a number.
  var isUnit: Bool { Self.units.contains(self) }

  private static let units = Set(
    """
    % percent per cent hundred thousand million billion trillion dollar dollars cent cents euro euros \
    pound pounds yen degree degrees a.m p.m am pm o'clock second seconds minute minutes hour hours day \
    days week weeks month months year years meter meters metre metres kilometer kilometers kilometre \
    kilometres centimeter centimeters millimeter millimeters mile miles foot feet inch inches gram grams \
    kilo kilos kilogram kilograms ton tons liter liters litre litres watt watts volt volts hertz bits \
    bytes megabytes gigabytes mm cm m km g kg mg l ml s ms h min kb mb gb tb w kw v hz khz mhz ghz \
    \u{20AC} $ \u{A3} \u{B0}c \u{B0}f prozent kilom\u{E8}tres
    """.split(separator: " ").map(String.init))
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
  ///
  /// A Chinese, Japanese, or Korean character counts as two.
  public var charactersPerLine: Int
  /// The maximum number of lines in a cue.
  public var linesPerCue: Int
  /// The maximum duration of a cue; a single word may exceed it.
  public var maximumDuration: Duration
  /// The minimum duration of a cue, unless the next cue begins sooner or `maximumDuration` is
  /// shorter.
  public var minimumDuration: Duration
  /// The minimum pause between words that ends a cue.
  public var pause: Duration
  /// The minimum time between a cue and the next cue.
  ///
  /// It is shorter if a cue would otherwise lose more than half of its duration.
  public var gap: Duration
  /// The maximum number of words in a cue; 1 for a cue for each word.
  public var wordsPerCue: Int
  /// The maximum reading speed: cues with more text stay longer, unless the next cue begins sooner.
  public var charactersPerSecond: Double

  /// Creates a policy; a number of characters, lines, or words below 1 counts as 1.
  public init(
    charactersPerLine: Int = 42, linesPerCue: Int = 2, maximumDuration: Duration = .seconds(7),
    minimumDuration: Duration = .seconds(1), pause: Duration = .milliseconds(700),
    gap: Duration = .milliseconds(80), wordsPerCue: Int = .max, charactersPerSecond: Double = 21
  ) {
    self.charactersPerLine = charactersPerLine
    self.linesPerCue = linesPerCue
    self.maximumDuration = maximumDuration
    self.minimumDuration = minimumDuration
    self.pause = pause
    self.gap = gap
    self.wordsPerCue = wordsPerCue
    self.charactersPerSecond = charactersPerSecond
  }
}

extension CuePolicy {
  private var width: Int { max(1, charactersPerLine) }

  /// Returns the duration in which a cue can be read.
  fileprivate func duration(of cue: Cue) -> Duration {
    let columns = cue.lines.reduce(0) { $0 + $1.columnCount }
    let reading = Duration.seconds(Double(columns) / max(1, charactersPerSecond))
    return min(max(minimumDuration, reading), max(maximumDuration, cue.end - cue.start))
  }

  /// Whether the words fit into a cue; a word longer than a line gets its own line.
  ///
  /// The first line has `reserved` fewer columns.
  fileprivate func fits(_ words: [String], reserved: Int) -> Bool {
    lines(of: joinedQuantities(in: words), width: width, reserved: reserved).count
      <= max(1, linesPerCue)
  }

  /// Returns the words in as few lines as possible, of about equal length.
  fileprivate func lines(of words: [String], reserved: Int) -> [String] {
    let words = joinedQuantities(in: words)
    let widest = lines(of: words, width: width, reserved: reserved)
    guard widest.count > 1 else { return widest }
    let narrow = (1..<width).first {
      lines(of: words, width: $0, reserved: reserved).count <= widest.count
    }
    return narrow.map { lines(of: words, width: $0, reserved: reserved) } ?? widest
  }

  /// Returns the words, with numbers joined to their units if both together fit into a line.
  private func joinedQuantities(in words: [String]) -> [String] {
    var joined: [String] = []
    for (index, word) in words.enumerated() {
      if index > 0, words[index - 1].isNumber(of: word), let last = joined.last {
        let quantity = last + last.separator(before: word) + word
        if quantity.columnCount <= width {
          joined[joined.count - 1] = quantity
          continue
        }
      }
      joined.append(word)
    }
    return joined
  }

  private func lines(of words: [String], width: Int, reserved: Int) -> [String] {
    var lines: [String] = []
    var room = 0
    for word in words {
      let gap = lines.last?.separator(before: word) ?? ""
      if let last = lines.indices.last, room >= gap.count + word.columnCount {
        lines[last] += gap + word
        room -= gap.count + word.columnCount
      } else {
        room = width - word.columnCount - (lines.isEmpty ? reserved : 0)
        lines.append(word)
      }
    }
    return lines
  }
}

extension String {
  /// The number of characters, with two for each Chinese, Japanese, or Korean character.
  fileprivate var columnCount: Int { reduce(0) { $0 + ($1.isWide ? 2 : 1) } }
}
