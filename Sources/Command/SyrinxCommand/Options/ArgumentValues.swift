import ArgumentParser
import AudioCore
package import FilePaths
import FoundationEssentials
import SpeechClient

extension ArgumentHelp {
  /// The help on an option, and the name of its value.
  static func value(_ name: String, _ text: String) -> ArgumentHelp {
    ArgumentHelp(text, valueName: name)
  }
}

/// Throws the sentence as a validation error unless the condition holds.
func require(_ condition: Bool, _ sentence: @autoclosure () -> String) throws {
  if !condition { throw ValidationError(sentence()) }
}

/// Throws if a value is outside its range, which includes NaN; the message names both.
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
  // FoundationEssentials does not encode host names.
  if let file = files.first(where: { $0.isWebAddress && !$0.hasASCIIHost }) {
    throw ValidationError("the host in \(file) is not ASCII; write it in Punycode (xn--…).")
  }
}

/// Creates a path from an argument, which must not be empty.
extension FilePath: ExpressibleByArgument {
  package init?(argument: String) {
    guard !argument.isEmpty else { return nil }
    self.init(argument)
  }

  /// Shells complete it with file names.
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
  /// The factor of a volume in the form `0.5`, `50%`, or `-6dB`.
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

/// A size in bytes; the suffixes k, M, and G stand for thousands, millions, and billions.
struct ByteSize: Equatable, ExpressibleByArgument {
  let byteCount: Int

  init?(argument: String) {
    let units = ["k": 1_000, "M": 1_000_000, "G": 1_000_000_000]
    let unit = argument.last.flatMap { units[String($0)] }
    let digits = unit == nil ? argument : String(argument.dropLast())
    guard let number = Int(digits), number > 0 else { return nil }
    let (product, overflows) = number.multipliedReportingOverflow(by: unit ?? 1)
    guard !overflows else { return nil }
    byteCount = product
  }
}

/// The value of `--pick-channels`: numbers from 1, separated by commas.
struct ChannelList: Equatable, ExpressibleByArgument {
  /// The channel indices, counted from 0.
  let indices: [Int]

  init?(argument: String) {
    let numbers = argument.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
    let indices = numbers.compactMap { $0 }.filter { (1...64).contains($0) }.map { $0 - 1 }
    guard indices.count == numbers.count, (1...32).contains(indices.count) else { return nil }
    self.indices = indices
  }
}

/// The value of `--key-phrase`: `TEXT` or `TEXT:THRESHOLD`.
struct KeyPhraseOption: ExpressibleByArgument {
  let phrase: KeyPhrase

  init?(argument: String) {
    let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count <= 2, !parts[0].allSatisfy(\.isWhitespace) else { return nil }
    guard parts.count == 2 else {
      phrase = KeyPhrase(String(parts[0]))
      return
    }
    guard let threshold = Double(parts[1]), threshold > 0, threshold <= 1 else { return nil }
    phrase = KeyPhrase(String(parts[0]), threshold: threshold)
  }
}

/// The value of `--engine-option`: `NAME=VALUE`.
struct EngineSettingOption: ExpressibleByArgument {
  let name: String
  let value: String

  init?(argument: String) {
    guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else {
      return nil
    }
    name = String(argument[..<equals])
    value = String(argument[argument.index(after: equals)...])
  }
}
