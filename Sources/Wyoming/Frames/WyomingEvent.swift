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
}
