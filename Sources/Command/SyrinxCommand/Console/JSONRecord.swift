import FilePaths

/// An object in the output of `--json`; nil values are omitted.
///
/// Each command names its fields in an extension, which also documents them in a schema for the
/// help.
struct JSONRecord: Encodable, Sendable, ExpressibleByDictionaryLiteral {
  typealias Field = any Encodable & Sendable

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private var fields: [String: Field] = [:]

  init(dictionaryLiteral fields: (String, Field?)...) {
    for (name, field) in fields { self[name] = field }
  }

  /// The names of the fields, in no particular order.
  var names: some Collection<String> { fields.keys }

  subscript(name: String) -> Field? {
    get { fields[name] }
    set { fields[name] = newValue }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Name.self)
    for (name, field) in fields {
      try container.encode(field, forKey: Name(stringValue: name))
    }
  }
}

extension JSONRecord {
  /// Creates the record of a failed command.
  init(error: String) {
    self = ["error": error]
  }

  /// Creates the record of a failed file.
  init(_ file: FilePath, error: String) {
    self = ["file": file, "error": error]
  }
}
