/// The beginning of the last nonempty line of a text that arrives in pieces.
struct LastLine {
  static let limit = 500

  private var complete: [UInt8] = []
  private var current: [UInt8] = []

  mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        if !current.isEmpty { complete = current }
        current = []
      } else if current.count < Self.limit {
        current.append(byte)
      }
    }
  }

  var text: String {
    String(decoding: current.isEmpty ? complete : current, as: UTF8.self)
  }
}
