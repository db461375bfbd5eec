/// A word of which a newer version may write another one.
protocol RecordedName: RawRepresentable<String>, Codable {}

extension RecordedName {
  init(from decoder: any Decoder) throws {
    let name = try decoder.singleValueContainer().decode(String.self)
    guard let value = Self(rawValue: name) else {
      throw UnknownName(name: name, of: "\(Self.self)".lowercased())
    }
    self = value
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}

/// A recording has a word that this version does not know: it is read to its end or not at all.
struct UnknownName: Error, CustomStringConvertible {
  let name: String
  let of: String

  var description: String {
    "\"\(name)\" is no \(of) that this version knows; read it with the version that made it"
  }
}
