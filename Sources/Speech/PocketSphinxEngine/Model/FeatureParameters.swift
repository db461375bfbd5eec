import SpeechEngine

/// The model's `feat.params`, the parameters of the front end.
struct FeatureParameters {
  /// The values by name with hyphen: `-lowerf`.
  let values: [String: String]

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
    for index in stride(from: 0, to: words.count, by: 2) { values[words[index]] = words[index + 1] }
    for name in Self.required where values[name] == nil {
      throw ModelDamage("\(name) is missing")
    }
    // The audio of every engine has 16 kHz, and word times count frames of 10 ms.
    for (name, value) in [("-samprate", 16_000.0), ("-frate", 100)] {
      let number = values[name].map { Double($0) ?? 0 } ?? value
      try (number == value).orDamage("\(name) is \(values[name] ?? "") and not \(Int(value))")
    }
    self.values = values
  }
}
