import AudioCore
import FilePaths
import FoundationEssentials

extension Encodable {
  /// Returns the value as JSON on one line, with keys in alphabetical order and control characters
  /// escaped.
  func jsonLine() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let line = String(decoding: try encoder.encode(self), as: UTF8.self)
    if line.isPlain { return line }
    return line.unicodeScalars.reduce(into: "") { line, scalar in
      if scalar.isControl {
        let code = String(scalar.value, radix: 16)
        line += "\\u" + String(repeating: "0", count: 4 - code.count) + code
      } else {
        line.unicodeScalars.append(scalar)
      }
    }
  }
}

extension Decibels {
  /// The level for JSON, rounded to a hundredth; nil for infinity, which JSON lacks.
  var finite: Double? { value.finite }

  /// The displayed level: `-12.3 dBFS`.
  var levelText: String { "\(self)FS" }

  /// The displayed level of a true peak: `-12.3 dBTP`.
  var truePeakText: String { "\(self)TP" }
}

extension Double {
  /// The value rounded to a hundredth; nil for infinity, which JSON cannot express.
  var finite: Double? { isFinite ? rounded(toParts: 100) : nil }

  /// The value rounded to a tenth.
  var tenths: Double { rounded(toParts: 10) }

  /// Returns the value rounded to a fraction of 1, such as thousandths.
  ///
  /// The result is never -0, which would appear in JSON.
  func rounded(toParts parts: Double) -> Double { (self * parts).rounded() / parts + 0 }
}

extension Duration {
  /// The duration in seconds for JSON, rounded to a millisecond.
  var inRecordSeconds: Double { inSeconds.rounded(toParts: 1_000) }

  /// The duration of lost audio in seconds for JSON, rounded to a microsecond.
  ///
  /// A single lost frame is therefore not rounded to 0.
  var inLostSeconds: Double {
    let rounded = inSeconds.rounded(toParts: 1_000_000)
    return rounded == 0 && self != .zero ? inSeconds : rounded
  }

  /// The displayed time, to a tenth of a second: `0:03.2`, `1:02:03.4`.
  var clockText: String {
    let tenths = Int(clamping: (max(.zero, self).inSeconds * 10).rounded(.down))
    let (hours, minutes, seconds) = (tenths / 36_000, tenths / 600 % 60, tenths / 10 % 60)
    let rest = "\(seconds.digits(2)).\(tenths % 10)"
    return hours > 0 ? "\(hours):\(minutes.digits(2)):\(rest)" : "\(minutes):\(rest)"
  }
}

extension Int {
  /// Returns the number with a noun: `1 sample`, `2 samples`.
  func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }

  /// Returns the number, padded with zeros to at least `count` digits.
  func digits(_ count: Int) -> String {
    let digits = "\(self)"
    return String(repeating: "0", count: Swift.max(0, count - digits.count)) + digits
  }
}

extension Collection {
  /// The collection itself, for JSON; nil if it is empty.
  var unlessEmpty: Self? { isEmpty ? nil : self }
}

extension String {
  /// Returns the text in lines of at most `columns` characters, divided at spaces; a longer word
  /// stays whole.
  func wrapped(to columns: Int) -> String {
    let indentation: Substring = "   "
    var (lines, line, width) = ([[Substring]](), [Substring](), -1)
    for word in split(separator: " ", omittingEmptySubsequences: false) {
      let hasWords = line.contains { !$0.isEmpty && $0 != indentation }
      if hasWords, width + 1 + word.count > columns {
        lines.append(line)
        (line, width) = ([indentation], indentation.count)
        if word.isEmpty { continue }
      }
      line.append(word)
      width += 1 + word.count
    }
    return (lines + [line]).map { $0.joined(separator: " ").trimmedAtEnd }.joined(separator: "\n")
  }

  /// The text without spaces at its end.
  fileprivate var trimmedAtEnd: Substring { prefix(count - reversed().prefix { $0 == " " }.count) }

  /// Returns the text, padded with spaces to a width in characters.
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}

/// Returns rows of text in columns, after a header line; each row has one text per title.
///
/// Columns without entries are omitted.
func columnLines(titles: [String], rows: [[String]]) -> [String] {
  let shown = titles.indices.filter { index in rows.contains { !$0[index].isEmpty } }
  let columns = shown.map { index in
    let texts = [titles[index]] + rows.map { $0[index] }
    let width = texts.map(\.count).max() ?? 0
    return texts.map { $0.padded(to: width) }
  }
  return (0...rows.count).map { line in
    String(columns.map { $0[line] }.joined(separator: "  ").trimmedAtEnd)
  }
}
