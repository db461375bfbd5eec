import AudioCore
import AudioRecorderClient
import SpeechClient

/// The last line of a terminal, which is rewritten.
struct StatusLine {
  private var isShown = false
  private let isColored: Bool

  /// - Parameter isColored: whether marks may have a color.
  init(isColored: Bool = false) {
    self.isColored = isColored
  }

  /// Returns the output that shows `text`, truncated to the terminal's width.
  mutating func show(_ text: String, columns: Int) -> String {
    show(String(text.prefix(columns: columns - 1)), dimmed: 0)
  }

  /// Returns the output that shows the end of a text, and dims `tail`, which may still change.
  mutating func show(_ stable: String, tail: String, columns: Int) -> String {
    let text = [stable, tail].joinedAsWritten.suffix(columns: max(1, columns - 1))
    return show(String(text), dimmed: min(tail.count, text.count))
  }

  /// Returns the output that shows a meter, with a red mark after clipping.
  mutating func show(_ meter: LevelMeterLine, columns: Int) -> String {
    let line = show(meter.text(columns: columns - 1), dimmed: 0)
    guard isColored, meter.isClipped else { return line }
    let mark = LevelMeterLine.clipMark
    return line.replacing(mark, with: "\u{1B}[1;31m\(mark)\u{1B}[0m")
  }

  /// Returns the output that erases the line.
  mutating func clear() -> String {
    isShown ? show("", dimmed: 0) + "\r" : ""
  }

  /// Returns the output that keeps the line and begins the next text below it.
  mutating func keep() -> String {
    guard isShown else { return "" }
    isShown = false
    return "\n"
  }

  private mutating func show(_ line: String, dimmed: Int) -> String {
    isShown = !line.isEmpty
    let tail = dimmed > 0 ? "\u{1B}[2m\(line.suffix(dimmed))\u{1B}[0m" : ""
    // The control code erases the rest of a longer previous line.
    return "\r" + line.dropLast(dimmed) + tail + "\u{1B}[K"
  }
}

/// Limits status updates to ten per second of audio.
struct StatusThrottle {
  private var next = Duration.zero

  /// Whether to show a status at this position.
  mutating func admits(_ position: Duration) -> Bool {
    guard position >= next else { return false }
    next = position + .milliseconds(100)
    return true
  }
}

/// Measures text in terminal columns.
///
/// If the width of a character is uncertain, the larger width counts, because a line that is too
/// long would wrap.
extension StringProtocol {
  var columns: Int { reduce(0) { $0 + $1.columns } }

  /// Returns the longest prefix that fits into `columns` columns.
  func prefix(columns: Int) -> SubSequence {
    var room = columns
    let end = indices.first { index in
      room -= self[index].columns
      return room < 0
    }
    return self[..<(end ?? endIndex)]
  }

  /// Returns the longest suffix that fits into `columns` columns.
  func suffix(columns: Int) -> SubSequence {
    var begin = endIndex
    var room = columns
    while begin > startIndex {
      let next = index(before: begin)
      room -= self[next].columns
      guard room >= 0 else { break }
      begin = next
    }
    return self[begin...]
  }
}

extension Character {
  var columns: Int { unicodeScalars.reduce(0) { $0 + $1.columns } }
}

extension Unicode.Scalar {
  fileprivate var columns: Int {
    if value < 0x300 { return 1 }
    // The variation selector turns a narrow character into a wide emoji, so it adds a column.
    if value == 0xFE0F { return 1 }
    // The medial vowels and final consonants of a Hangul syllable are in the columns of its first
    // consonant, so they have no width of their own.
    if (0x1160...0x11FF).contains(value) { return 0 }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: return Self.wide.contains { $0.contains(value) } ? 2 : 1
    }
  }

  /// The wide and full-width characters of East Asia in Unicode, and all blocks of pictographs.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23F3, 0x25FD...0x25FE,
    0x2600...0x27BF, 0x2B1B...0x2B55, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F,
    0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60,
    0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F000...0x1FAFF, 0x20000...0x3FFFD,
  ]
}

/// A level meter as one line of a terminal: a bar for each channel, the peak, and a mark after
/// clipping.
struct LevelMeterLine {
  /// The mark that is shown once a sample has reached full scale.
  static let clipMark = "CLIP"

  /// One bar: the current peak, and the highest peak of the last 1.5 seconds.
  typealias Channel = (peak: Decibels, heldPeak: Decibels)

  /// The text in front of the bars; omitted on a narrow terminal.
  var label = ""
  var channels: [Channel] = []
  /// Whether any sample has been clipped.
  var isClipped = false
  /// For each channel of a stream, the frame from which the held peak is no longer shown.
  private(set) var holdEnds: [FrameCount] = []

  init(label: String = "", channels: [Channel] = [], isClipped: Bool = false) {
    (self.label, self.channels, self.isClipped) = (label, channels, isClipped)
  }

  /// The level of an empty bar, in dBFS; a full bar is full scale.
  private static let lowest = -60.0
  private static let longestBar = 20
  private static let shortestBar = 4
  /// Heights for bars of one character; the first is for silence.
  private static let heights = Array(" ▁▂▃▄▅▆▇█")

  /// Returns the line, truncated to `columns` columns.
  ///
  /// Wide terminals show horizontal bars of four to 20 characters with the held peak as `|`. If
  /// those do not fit, each channel is one character.
  func text(columns: Int) -> String {
    let peak = channels.map(\.peak).max() ?? .silence
    let end = " \(peak.levelText)" + (isClipped ? " \(Self.clipMark)" : "")
    let short = end.replacing(" dBFS", with: "")
    let forms = [("\(label) ", end), ("", end), ("", short)]
    for draw in [longBars, shortBars] {
      for (start, end) in forms {
        let room = columns - start.columns - end.columns
        if let bars = draw(room) { return start + bars + end }
      }
    }
    return String(short.dropFirst().suffix(columns: max(0, columns)))
  }

  /// Returns horizontal bars, or nil if they do not fit.
  private func longBars(columns: Int) -> String? {
    guard !channels.isEmpty else { return nil }
    // Each bar also takes two brackets, and a space before the next bar.
    let length = min(Self.longestBar, (columns + 1) / channels.count - 3)
    guard length >= Self.shortestBar else { return nil }
    return channels.map { bar($0, length: length) }.joined(separator: " ")
  }

  /// Returns bars of one character, or nil if they do not fit.
  private func shortBars(columns: Int) -> String? {
    guard !channels.isEmpty, channels.count + 2 <= columns else { return nil }
    let characters = channels.map {
      Self.heights[Self.cells($0.peak, of: Self.heights.count - 1)]
    }
    return "[\(String(characters))]"
  }

  private func bar(_ channel: Channel, length: Int) -> String {
    let (full, held) = (
      Self.cells(channel.peak, of: length), Self.cells(channel.heldPeak, of: length)
    )
    let cells = (1...length).map { cell -> Character in
      if cell <= full { return "#" }
      return cell == held ? "|" : " "
    }
    return "[\(String(cells))]"
  }

  /// Returns the number of cells, out of `count`, that a level fills.
  private static func cells(_ level: Decibels, of count: Int) -> Int {
    guard level.value > lowest else { return 0 }
    return min(count, Int(clamping: (level.value - lowest) / -lowest * Double(count)))
  }
}

extension LevelMeterLine {
  private static let holdTime = Duration.milliseconds(1_500)
  private static let clipping = Decibels(amplitude: Double(AudioLevel.clippingAmplitude))

  /// Shows the next levels of a stream, with held peaks and a lasting clip mark.
  mutating func update(_ reading: LevelReading, at rate: SampleRate, label: String) {
    if holdEnds.count != reading.channels.count {
      channels = reading.channels.map { _ in (.silence, .silence) }
      holdEnds = reading.channels.map { _ in reading.firstFrame }
    }
    for (index, level) in reading.channels.enumerated() {
      channels[index].peak = level.peak
      guard level.peak >= channels[index].heldPeak || reading.endFrame > holdEnds[index] else {
        continue
      }
      channels[index].heldPeak = level.peak
      holdEnds[index] = reading.endFrame + FrameCount(Self.holdTime, at: rate)
    }
    isClipped = isClipped || reading.level.peak >= Self.clipping
    self.label = label
  }
}

extension LevelMeterLine {
  /// Creates the meter of a recording.
  init(_ levels: RecordingLevels) {
    self.init(
      label: levels.recorded.clockText,
      isClipped: levels.channels.contains { $0.clippedSamples > 0 })
    channels = levels.channels.map { ($0.peak, $0.heldPeak) }
    // The recorder's preview value reports no channels, so one bar shows the peak of all channels.
    if channels.isEmpty { channels = [(levels.level.peak, levels.level.peak)] }
  }
}
