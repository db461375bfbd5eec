import SpeechEngine
import Glibc

/// Checks the model's `feat.params`, the parameters of the front end.
///
/// PocketSphinx ends the process for some invalid values, and accepts others.
struct FeatureParameters {
  /// The values by name with hyphen: `-lowerf`.
  let values: [String: String]

  private enum Allowed {
    case words(Set<String>)
    case numbers(ClosedRange<Double>)
    case counts(ClosedRange<Int>)
    case numberList(count: Int)
  }

  private static let allowed: [String: Allowed] = [
    "-lowerf": .numbers(0...4000),
    "-upperf": .numbers(1000...8000),
    "-nfilt": .counts(10...80),
    "-lifter": .counts(0...100),
    "-alpha": .numbers(0...1),
    "-ncep": .counts(13...13),
    "-nfft": .counts(512...512),
    "-samprate": .numbers(16_000...16_000),
    "-frate": .counts(100...100),
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

  /// Without these, PocketSphinx uses defaults that do not fit the model.
  private static let required = [
    "-lowerf", "-upperf", "-nfilt", "-transform", "-lifter", "-feat", "-svspec", "-cmn",
  ]

  init(_ file: ModelBytes) throws(ModelDamage) {
    guard let text = String(validating: file.bytes, as: UTF8.self) else {
      throw ModelDamage("it is not text")
    }
    let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    try words.count.isMultiple(of: 2).orDamage("a parameter has no value")
    var values: [String: String] = [:]
    for index in stride(from: 0, to: words.count, by: 2) {
      let (name, value) = (words[index], words[index + 1])
      try Self.check(name, value)
      try (values.updateValue(value, forKey: name) == nil).orDamage("it has \(name) twice")
    }
    for name in Self.required where values[name] == nil {
      throw ModelDamage("\(name) is missing")
    }
    func number(_ name: String) -> Double { values[name].flatMap(Double.init) ?? 0 }
    try Self.checkFilters(from: number("-lowerf"), to: number("-upperf"), count: number("-nfilt"))
    self.values = values
  }

  /// PocketSphinx ends the process if a filter covers no line of the spectrum.
  ///
  /// The filters overlap by half and have equal widths on the mel scale, so the lowest is the
  /// narrowest.
  private static func checkFilters(
    from lower: Double, to upper: Double, count: Double
  ) throws(ModelDamage) {
    try (lower < upper).orDamage("-lowerf \(lower) is not below -upperf \(upper)")
    let step = (mel(upper) - mel(lower)) / (count + 1)
    let width = hertz(mel(lower) + 2 * step) - lower
    try (width > lineSpacing).orDamage(
      "-nfilt makes filters of \(width) Hz, narrower than the spectrum's lines of \(lineSpacing) Hz"
    )
  }

  /// In hertz: the sample rate divided by the transform size.
  private static let lineSpacing = 16_000.0 / 512

  private static func mel(_ hertz: Double) -> Double { 2595 * log10(1 + hertz / 700) }
  private static func hertz(_ mel: Double) -> Double { 700 * (pow(10, mel / 2595) - 1) }

  private static func check(_ name: String, _ value: String) throws(ModelDamage) {
    let isAllowed =
      switch allowed[name] {
      case nil: throw ModelDamage("it has an unknown parameter \(name)")
      case .words(let words): words.contains(value)
      case .numbers(let range): Double(value).map(range.contains) ?? false
      case .counts(let range): Int(value).map(range.contains) ?? false
      case .numberList(let count): isNumberList(value, count: count)
      }
    try isAllowed.orDamage("\(name) cannot be \(value)")
  }

  private static func isNumberList(_ text: String, count: Int) -> Bool {
    let numbers = text.split(separator: ",").compactMap { Double($0) }
    return numbers.count == count && numbers.allSatisfy(\.isFinite)
  }
}
