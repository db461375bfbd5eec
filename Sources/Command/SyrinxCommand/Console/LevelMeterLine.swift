import AudioCore
import AudioRecorderClient

/// A level meter as one line of a terminal: a bar for each channel, the peak, and a mark after
/// clipping.
struct LevelMeterLine {
  /// The mark after a sample at full scale.
  static let clipMark = "CLIP"

  /// One bar.
  struct Channel: Equatable {
    /// The peak of the moment.
    var peak: Decibels
    /// The highest peak of the last 1.5 seconds.
    var heldPeak: Decibels
  }

  /// The text in front of the bars; a narrow terminal lacks it.
  var label: String
  var channels: [Channel]
  /// Whether any sample was clipped so far.
  var isClipped: Bool

  /// The bars reach from −60 dBFS to full scale.
  private static let lowest = -60.0
  private static let longestBar = 20
  private static let shortestBar = 4
  /// Heights for bars of one character; the first is for silence.
  private static let heights = Array(" ▁▂▃▄▅▆▇█")

  /// The line, at most so many columns wide.
  ///
  /// Wide terminals show horizontal bars of four to 20 characters with the held peak as `|`. Where
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

  /// Horizontal bars, or nil where they do not fit.
  private func longBars(columns: Int) -> String? {
    guard !channels.isEmpty else { return nil }
    // A bar has two brackets, and a space before the next one.
    let length = min(Self.longestBar, (columns + 1) / channels.count - 3)
    guard length >= Self.shortestBar else { return nil }
    return channels.map { bar($0, length: length) }.joined(separator: " ")
  }

  /// Bars of one character, or nil where they do not fit.
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

  /// How many of `count` cells a level fills.
  private static func cells(_ level: Decibels, of count: Int) -> Int {
    guard level.value > lowest else { return 0 }
    return min(count, Int(clamping: (level.value - lowest) / -lowest * Double(count)))
  }
}

/// Turns the levels of a stream into meters: it holds peaks and remembers clipping.
struct MeterBallistics {
  private static let holdTime = Duration.milliseconds(1_500)
  private static let clipping = Decibels(amplitude: Double(AudioLevel.clippingAmplitude))

  private var held: [(peak: Decibels, until: FrameCount)] = []
  private var isClipped = false

  /// The meter after a reading.
  mutating func meter(
    after reading: LevelReading, at rate: SampleRate, label: String
  ) -> LevelMeterLine {
    if held.count != reading.channels.count {
      held = reading.channels.map { _ in (.silence, reading.firstFrame) }
    }
    for (index, level) in reading.channels.enumerated()
    where level.peak >= held[index].peak || reading.endFrame > held[index].until {
      held[index] = (level.peak, reading.endFrame + FrameCount(Self.holdTime, at: rate))
    }
    isClipped = isClipped || reading.level.peak >= Self.clipping
    let channels = zip(reading.channels, held).map {
      LevelMeterLine.Channel(peak: $0.peak, heldPeak: $1.peak)
    }
    return LevelMeterLine(label: label, channels: channels, isClipped: isClipped)
  }
}

extension LevelMeterLine {
  /// The meter of a recording.
  init(_ levels: RecordingLevels) {
    label = levels.recorded.clockText
    isClipped = levels.channels.contains { $0.clippedSamples > 0 }
    channels = levels.channels.map { Channel(peak: $0.peak, heldPeak: $0.heldPeak) }
    // A preview has no channels.
    if channels.isEmpty {
      channels = [Channel(peak: levels.level.peak, heldPeak: levels.level.peak)]
    }
  }
}
