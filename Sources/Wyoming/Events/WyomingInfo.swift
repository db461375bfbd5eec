/// What a server says it can recognize.
package struct WyomingInfo: Hashable, Sendable {
  /// One of its models and the languages that it knows.
  package struct Model: Hashable, Sendable {
    package var name: String
    package var languages: [String]

    package init(name: String, languages: [String]) {
      self.name = name
      self.languages = languages
    }
  }

  /// The programs' models, in the server's order; those that are not installed are left out.
  package var models: [Model]

  /// Whether there is any program for recognition at all.
  package var recognizes: Bool

  /// Reads an `info` event; fields that are missing or null count as empty, `installed` as true.
  package init(_ data: [String: JSONValue]) {
    let programs = Self.installed(data["asr"])
    recognizes = !programs.isEmpty
    models = programs.flatMap { Self.installed($0["models"]) }.map { model in
      Model(
        name: model["name"]?.string ?? "",
        languages: model["languages"]?.array?.compactMap(\.string) ?? [])
    }
  }

  private static func installed(_ artifacts: JSONValue?) -> [[String: JSONValue]] {
    (artifacts?.array ?? []).compactMap(\.object).filter { $0["installed"]?.bool != false }
  }
}

/// One of the things that an `info` event lists.
package struct WyomingArtifact: Sendable {
  package var name: String
  package var description: String
  /// What else there is to say, by the protocol's names.
  package var details: [String: JSONValue]

  package init(name: String, description: String, details: [String: JSONValue]) {
    self.name = name
    self.description = description
    self.details = details
  }

  package var data: JSONValue {
    let common: [String: JSONValue] = [
      "name": .string(name), "description": .string(description), "installed": true,
      "attribution": ["name": "Syrinx", "url": ""], "version": .null,
    ]
    return .object(common.merging(details) { $1 })
  }
}
