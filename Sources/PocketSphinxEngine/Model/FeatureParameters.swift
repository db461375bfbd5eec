/// The model's `feat.params`: how it wants its cepstra made, as words that PocketSphinx would take
/// or die of.
struct FeatureParameters {
  /// The values that a parameter may have.
  private enum Allowed {
    case words(Set<String>)
    case numbers(ClosedRange<Double>)
    case numberList(count: Int)
  }

  private static let allowed: [String: Allowed] = [
    "-lowerf": .numbers(0...4000),
    "-upperf": .numbers(1000...8000),
    "-nfilt": .numbers(10...80),
    "-lifter": .numbers(0...100),
    "-alpha": .numbers(0...1),
    "-ncep": .numbers(13...13),
    "-nfft": .numbers(512...512),
    "-samprate": .numbers(16_000...16_000),
    "-frate": .numbers(100...100),
    "-wlen": .numbers(0.02...0.03),
    "-transform": .words(["dct", "htk", "legacy"]),
    "-feat": .words(["1s_c_d_dd"]),
    "-svspec": .words(["0-12/13-25/26-38"]),
    "-agc": .words(["none", "max", "emax", "noise"]),
    "-cmn": .words(["none", "batch", "current", "live", "prior"]),
    "-cmninit": .numberList(count: 13),
    "-varnorm": .words(["no"]),
    "-model": .words(["ptm"]),
    "-remove_dc": .words(["yes", "no"]),
    "-remove_noise": .words(["yes", "no"]),
    "-remove_silence": .words(["yes", "no"]),
    "-round_filters": .words(["yes", "no"]),
    "-unit_area": .words(["yes", "no"]),
    "-dither": .words(["yes", "no"]),
  ]

  /// Without these PocketSphinx would take defaults that do not fit the model.
  private static let required = [
    "-lowerf", "-upperf", "-nfilt", "-transform", "-lifter", "-feat", "-svspec", "-cmn",
  ]

  init(_ file: ModelBytes) throws(ModelDamage) {
    guard let text = String(validating: file.bytes, as: UTF8.self) else {
      throw ModelDamage("it is no text")
    }
    let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    try words.count.isMultiple(of: 2).orDamage("a parameter has no value")
    var names: Set<String> = []
    for index in stride(from: 0, to: words.count, by: 2) {
      try Self.check(words[index], words[index + 1])
      names.insert(words[index])
    }
    for name in Self.required where !names.contains(name) {
      throw ModelDamage("\(name) is missing")
    }
  }

  private static func check(_ name: String, _ value: String) throws(ModelDamage) {
    let isAllowed =
      switch allowed[name] {
      case nil: throw ModelDamage("it has an unknown parameter \(name)")
      case .words(let words): words.contains(value)
      case .numbers(let range): Double(value).map(range.contains) ?? false
      case .numberList(let count): isNumberList(value, count: count)
      }
    try isAllowed.orDamage("\(name) cannot be \(value)")
  }

  private static func isNumberList(_ text: String, count: Int) -> Bool {
    let numbers = text.split(separator: ",").compactMap { Double($0) }
    return numbers.count == count && numbers.allSatisfy(\.isFinite)
  }
}
