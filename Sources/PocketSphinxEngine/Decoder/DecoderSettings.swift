import SpeechEngine

/// The settings of a decoder that a request may change, checked before PocketSphinx sees them: it
/// ends the process over some that make no sense.
struct DecoderSettings: Hashable {
  /// What PocketSphinx takes for a setting.
  enum Value: Hashable {
    case integer(Int)
    case number(Double)
  }

  /// The settings by their names in PocketSphinx: `-lw`.
  private(set) var values: [String: Value] = [:]

  /// Whether PocketSphinx looks for the best path through the words it has found, and with that
  /// knows how likely each is.
  var hasBestPath: Bool { values["-bestpath"] != .integer(0) }

  /// The settings as they are without a request.
  init() {}

  /// The settings by their names on PocketSphinx' command line, without the hyphen.
  ///
  /// - Throws: `.optionInvalid`.
  init(_ options: [String: String]) throws(SpeechEngineError) {
    for (name, text) in options.sorted(by: { $0.key < $1.key }) {
      guard let kind = Self.kinds[name] else {
        let names = Self.kinds.keys.sorted().joined(separator: ", ")
        throw .optionInvalid(name: name, reason: "PocketSphinx has \(names)")
      }
      guard let value = kind.value(of: text) else {
        throw .optionInvalid(name: name, reason: "\"\(text)\" is not \(kind)")
      }
      values["-\(name)"] = value
    }
  }

  private enum Kind: CustomStringConvertible {
    case integer(ClosedRange<Int>)
    case number(ClosedRange<Double>)
    case flag

    func value(of text: String) -> Value? {
      switch self {
      case .integer(let range): Int(text).filtered(range.contains).map(Value.integer)
      case .number(let range): Double(text).filtered(range.contains).map(Value.number)
      case .flag: ["yes": 1, "no": 0][text].map(Value.integer)
      }
    }

    var description: String {
      switch self {
      case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
      case .number(let range): "a number from \(range.lowerBound) to \(range.upperBound)"
      case .flag: "yes or no"
      }
    }
  }

  /// With a wider one than this PocketSphinx divides by zero where `maxhmmpf` is reached.
  private static let widestBeam = 1e-12

  private static let kinds: [String: Kind] = [
    "lw": .number(0.1...100), "wip": .number(1e-10...1), "pip": .number(1e-10...1),
    "beam": .number(1e-200...widestBeam), "pbeam": .number(1e-200...1),
    "wbeam": .number(1e-200...1),
    "maxhmmpf": .integer(100...1_000_000), "maxwpf": .integer(1...100_000),
    "ds": .integer(1...4), "topn": .integer(1...16), "fwdflat": .flag, "bestpath": .flag,
  ]
}

extension Optional {
  fileprivate func filtered(_ isRight: (Wrapped) -> Bool) -> Self {
    flatMap { isRight($0) ? $0 : nil }
  }
}
