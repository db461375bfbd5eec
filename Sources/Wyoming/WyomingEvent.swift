import FoundationEssentials

/// One message of the Wyoming protocol: what it is, what it says, and raw bytes such as audio.
package struct WyomingEvent: Hashable, Sendable {
  package var type: String
  package var data: [String: JSONValue]
  package var payload: [UInt8]

  package init(_ type: String, _ data: [String: JSONValue] = [:], payload: [UInt8] = []) {
    self.type = type
    self.data = data
    self.payload = payload
  }

  /// The frame as it goes over the wire: a line of JSON, the data as JSON, the payload.
  package var bytes: [UInt8] {
    let data = data.isEmpty ? [] : JSONValue.object(data).text
    var header: [String: JSONValue] = ["type": .string(type)]
    if !data.isEmpty { header["data_length"] = .integer(data.count) }
    if !payload.isEmpty { header["payload_length"] = .integer(payload.count) }
    return JSONValue.object(header).text + [UInt8(ascii: "\n")] + data + payload
  }
}

extension JSONValue {
  /// The value as JSON text on one line, its keys in order.
  fileprivate var text: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Only numbers that are none cannot be encoded, and no event of ours has one.
    return (try? encoder.encode(self)).map(Array.init) ?? Array("{}".utf8)
  }
}

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
      "version": .null,
    ]
    return .object(common.merging(details) { $1 })
  }
}
