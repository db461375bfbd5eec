import FoundationEssentials

/// A message of the Wyoming protocol: a type, data, and a payload such as audio.
package struct WyomingEvent: Hashable, Sendable {
  package var type: String
  package var data: [String: JSONValue]
  package var payload: [UInt8]

  package init(_ type: String, _ data: [String: JSONValue] = [:], payload: [UInt8] = []) {
    self.type = type
    self.data = data
    self.payload = payload
  }

  /// The encoded frame: a line of JSON, the data as JSON, and the payload.
  package var bytes: [UInt8] {
    let data = data.isEmpty ? [] : JSONValue.object(data).text
    var header: [String: JSONValue] = ["type": .string(type)]
    if !data.isEmpty { header["data_length"] = .integer(data.count) }
    if !payload.isEmpty { header["payload_length"] = .integer(payload.count) }
    return JSONValue.object(header).text + [UInt8(ascii: "\n")] + data + payload
  }
}

extension JSONValue {
  /// The value as one line of JSON with sorted keys.
  package var text: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Encoding fails only for NaN and infinity, which our events never contain.
    return (try? encoder.encode(self)).map(Array.init) ?? Array("{}".utf8)
  }
}

/// A server's description of what it can recognize.
package struct WyomingInfo: Hashable, Sendable {
  /// A model and its languages.
  package struct Model: Hashable, Sendable {
    package var name: String
    package var languages: [String]

    package init(name: String, languages: [String]) {
      self.name = name
      self.languages = languages
    }
  }

  /// The models of all installed programs, in the server's order.
  package var models: [Model]

  /// Whether the server has a recognition program.
  package var recognizes: Bool

  /// Reads an `info` event.
  ///
  /// Missing or null fields count as empty, but a missing or null `installed` counts as true.
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
