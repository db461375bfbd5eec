/// What the first line of a frame says.
struct FrameHeader {
  let type: String
  let data: [String: JSONValue]
  let dataLength: Int
  let payloadLength: Int

  init(line: some Collection<UInt8>, limits: WyomingLimits) throws(FrameError) {
    guard let object = JSONValue(json: line)?.object else { throw .notJSON(part: "first line") }
    guard let type = object["type"]?.string else { throw .typeMissing }
    self.type = type
    data = try Self.object(object["data"])
    dataLength = try Self.length("data_length", in: object)
    payloadLength = try Self.length("payload_length", in: object)
    try Self.check(dataLength, atMost: limits.data, of: "data")
    try Self.check(payloadLength, atMost: limits.payload, of: "payload")
  }

  /// Data that is left out is empty, and so is null.
  private static func object(_ value: JSONValue?) throws(FrameError) -> [String: JSONValue] {
    guard let value, value != .null else { return [:] }
    guard let object = value.object else { throw .notJSON(part: "data") }
    return object
  }

  private static func length(
    _ field: String, in object: [String: JSONValue]
  ) throws(FrameError) -> Int {
    guard let value = object[field], value != .null else { return 0 }
    guard let length = value.integer, length >= 0 else { throw .lengthInvalid(field: field) }
    return length
  }

  private static func check(
    _ length: Int, atMost limit: Int, of part: String
  ) throws(FrameError) {
    guard length <= limit else { throw .tooLong(part: part, length: length, limit: limit) }
  }
}
