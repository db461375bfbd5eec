import AudioCore

/// Encodes the bitmap as text for terminals that show pictures.
extension Bitmap {
  /// The picture in DEC's sixel graphics, with 216 colors.
  public var sixel: String {
    var text = "\u{1B}Pq\"1;1;\(width);\(height)"
    for index in 0..<216 {
      let parts = [index / 36, index / 6 % 6, index % 6].map { "\($0 * 20)" }
      text += "#\(index);2;" + parts.joined(separator: ";")
    }
    for top in stride(from: 0, to: height, by: 6) { text += sixelBand(from: top) + "-" }
    return text + "\u{1B}\\"
  }

  /// Encodes six rows: for each color in them, the pixels that have this color.
  private func sixelBand(from top: Int) -> String {
    var masks: [Int: [UInt8]] = [:]
    for row in top..<min(top + 6, height) {
      for column in 0..<width {
        let color = self[column, row].cubeIndex
        masks[color, default: Array(repeating: 0, count: width)][column] |= 1 << UInt8(row - top)
      }
    }
    return masks.sorted { $0.key < $1.key }.map { "#\($0.key)" + Self.runs($0.value) }
      .joined(separator: "$")
  }

  /// Returns the characters of one color; runs of four or more are encoded with their length.
  private static func runs(_ masks: [UInt8]) -> String {
    var text = ""
    var begin = 0
    while begin < masks.count {
      let end = masks[begin...].firstIndex { $0 != masks[begin] } ?? masks.count
      let character = String(Character(Unicode.Scalar(63 + masks[begin])))
      let count = end - begin
      text += count > 3 ? "!\(count)\(character)" : String(repeating: character, count: count)
      begin = end
    }
    return text
  }
}

extension Color {
  /// The index of the color in a palette of 6 × 6 × 6 colors.
  fileprivate var cubeIndex: Int {
    let steps = [red, green, blue].map { Int(clamping: $0 * 5) }
    return steps[0] * 36 + steps[1] * 6 + steps[2]
  }
}

/// A drawing of Braille characters, each of which has two columns and four rows of dots.
struct BrailleDrawing {
  private let width: Int
  private var cells: [[UInt8]]

  /// The bit of each dot in a Braille character, by row and column.
  private static let bits: [[UInt8]] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]]

  init(columns: Int, rows: Int) {
    width = columns
    cells = Array(repeating: Array(repeating: 0, count: columns), count: rows)
  }

  var dotWidth: Int { width * 2 }
  var dotHeight: Int { cells.count * 4 }

  /// Sets a dot; the origin is at the top left.
  mutating func set(_ x: Int, _ y: Int) {
    guard (0..<dotWidth).contains(x), (0..<dotHeight).contains(y) else { return }
    cells[y / 4][x / 2] |= Self.bits[y % 4][x % 2]
  }

  var lines: [String] {
    cells.map { row in
      String(
        String.UnicodeScalarView(
          row.map { Unicode.Scalar(0x2800 + UInt32($0)) ?? " " }))
    }
  }
}

extension WaveformImage {
  /// Returns the waveform as lines of Braille characters.
  ///
  /// Each channel has `rows` lines of `columns` characters.
  public func braille(columns: Int, rows: Int) -> [String] {
    channels.flatMap { channel in
      var drawing = BrailleDrawing(columns: max(1, columns), rows: max(1, rows))
      let half = Float(drawing.dotHeight - 1) / 2
      for x in 0..<drawing.dotWidth {
        let first = x * channel.count / drawing.dotWidth
        let last = max(first + 1, (x + 1) * channel.count / drawing.dotWidth)
        let group = channel[min(first, channel.count - 1)..<min(last, channel.count)]
        let highest = max(-1, min(group.map(\.highest).max() ?? 0, 1))
        let lowest = max(-1, min(group.map(\.lowest).min() ?? 0, 1))
        let top = Int(clamping: Double(half - highest * half))
        let bottom = Int(clamping: Double(half - lowest * half))
        for y in top...max(top, bottom) { drawing.set(x, y) }
      }
      return drawing.lines
    }
  }
}

extension SpectrogramImage {
  /// The order in which the dots of a four by four square appear as the level rises.
  private static let thresholds = [
    [0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5],
  ]

  /// Returns the spectrogram as lines of Braille characters, with denser dots for louder parts.
  ///
  /// Each channel has `rows` lines of `columns` characters, with the highest frequencies first.
  public func braille(columns: Int, rows: Int) -> [String] {
    channels.flatMap { channel in
      var drawing = BrailleDrawing(columns: max(1, columns), rows: max(1, rows))
      for x in 0..<drawing.dotWidth {
        let powers = channel[x * channel.count / drawing.dotWidth]
        for y in 0..<drawing.dotHeight {
          let power = powers[(drawing.dotHeight - 1 - y) * powers.count / drawing.dotHeight]
          let threshold = (Double(Self.thresholds[y % 4][x % 4]) + 0.5) / 16
          if Self.part(of: power) > 0.3 + 0.65 * threshold { drawing.set(x, y) }
        }
      }
      return drawing.lines
    }
  }
}
