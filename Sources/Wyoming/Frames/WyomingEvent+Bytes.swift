import FoundationEssentials

extension WyomingEvent {
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
