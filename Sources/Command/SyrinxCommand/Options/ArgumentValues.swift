import ArgumentParser
import AudioCore
package import FilePaths
import FoundationEssentials
import SpeechClient

extension ArgumentHelp {
  /// Returns the help on an option, with a name for its value.
  static func value(_ name: String, _ text: String) -> ArgumentHelp {
    ArgumentHelp(text, valueName: name)
  }
}

/// Throws `sentence` as a validation error unless the condition is true.
func require(_ condition: Bool, _ sentence: @autoclosure () -> String) throws {
  if !condition { throw ValidationError(sentence()) }
}

/// Throws if a value is outside `range` or NaN; the message contains the value and the range.
func check<Value: Comparable>(
  _ option: String, _ value: Value?, in range: ClosedRange<Value>, _ meaning: String
) throws {
  guard let value, !range.contains(value) else { return }
  let (lowest, highest) = (range.lowerBound, range.upperBound)
  throw ValidationError(
    "\(option) \(value) is out of range; give \(meaning) from \(lowest) to \(highest).")
}

/// Throws if standard input is named twice, or a web address has a host that is not ASCII.
func checkOperands(_ files: [FilePath]) throws {
  let pipes = files.count { $0 == "-" }
  try require(pipes < 2, "standard input (-) can be read only once, not \(pipes) times.")
  // Hosts are checked here, because FoundationEssentials cannot encode host names.
  if let file = files.first(where: { $0.isWebAddress && !$0.hasASCIIHost }) {
    throw ValidationError("the host in \(file) is not ASCII; write it in Punycode (xn--…).")
  }
}

/// Creates a path from an argument that is not empty.
extension FilePath: ExpressibleByArgument {
  package init?(argument: String) {
    guard !argument.isEmpty else { return nil }
    self.init(argument)
  }

  /// Makes shells complete the argument with file names.
  static var defaultCompletionKind: CompletionKind { .file() }

  /// Whether the text is a web address.
  var isWebAddress: Bool {
    let begin = String(decoding: bytes.prefix(8), as: UTF8.self).lowercased()
    return begin.hasPrefix("http://") || begin == "https://"
  }

  /// Whether the host of a web address is ASCII.
  fileprivate var hasASCIIHost: Bool {
    bytes.split(separator: UInt8(ascii: "/")).dropFirst().first?.allSatisfy { $0 < 0x80 } ?? true
  }

  /// The URL of the file or of the address.
  var source: URL { isWebAddress ? URL(string: text) ?? url : url }

  /// The name for messages.
  var shownName: FilePath { self == "-" ? "standard input" : self }

  /// The documentation of file names in JSON.
  static let jsonHelp = "bytes that are not UTF-8 become U+EF00 + byte"
}

extension Double {
  /// Returns the factor for a volume in the form `0.5`, `50%`, or `-6dB`.
  ///
  /// - Throws: `ValidationError`, which shows how to write a volume.
  static func volume(_ argument: String) throws -> Double {
    let text = argument.lowercased()
    let factor: Double? =
      if text.hasSuffix("%") {
        Double(text.dropLast()).map { $0 / 100 }
      } else if text.hasSuffix("db") {
        Double(text.dropLast(2)).map { Decibels($0).amplitude }
      } else {
        Double(text)
      }
    guard let factor else { throw ValidationError("give a volume such as 0.5, 50%, or -6dB.") }
    return factor
  }
}

extension Int {
  /// Returns the number of bytes for a size; the suffixes k, M, and G stand for thousands,
  /// millions, and billions.
  ///
  /// - Throws: `ValidationError`, which shows how to write a size.
  static func byteCount(_ argument: String) throws -> Int {
    let units = ["k": 1_000, "M": 1_000_000, "G": 1_000_000_000]
    let unit = argument.last.flatMap { units[String($0)] }
    let digits = unit == nil ? argument : String(argument.dropLast())
    guard let number = Int(digits), number > 0,
      case let (count, overflows) = number.multipliedReportingOverflow(by: unit ?? 1), !overflows
    else { throw ValidationError("give a size such as 65536, 500k, 20M, or 4G.") }
    return count
  }
}

/// Returns the channel indices in the value of `--pick-channels`.
///
/// The value consists of channel numbers, separated by commas. Numbers start at 1, and indices at
/// 0.
func channelIndices(_ argument: String) throws -> [Int] {
  let numbers = argument.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
  let indices = numbers.compactMap { $0 }.filter { (1...64).contains($0) }.map { $0 - 1 }
  guard indices.count == numbers.count, (1...32).contains(indices.count) else {
    throw ValidationError("give up to 32 channels from 1 to 64, such as 1,3.")
  }
  return indices
}

extension KeyPhrase {
  /// Reads the value of `--key-phrase`: `TEXT` or `TEXT:THRESHOLD`.
  init(argument: String) throws {
    let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
    let threshold = parts.count == 2 ? Double(parts[1]) : nil
    guard parts.count <= 2, !parts[0].allSatisfy(\.isWhitespace),
      parts.count == 1 || threshold.map({ $0 > 0 && $0 <= 1 }) == true
    else { throw ValidationError("give a phrase, or one with a threshold: lights on:1e-20.") }
    self.init(String(parts[0]), threshold: threshold)
  }
}

/// Returns the parts of the value of `--engine-option`: `NAME=VALUE`.
func engineSetting(_ argument: String) throws -> (name: String, value: String) {
  guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else {
    throw ValidationError("give a name and a value, such as lw=6.5.")
  }
  return (String(argument[..<equals]), String(argument[argument.index(after: equals)...]))
}
