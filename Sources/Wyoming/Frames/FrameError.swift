/// Why bytes are no frame of the protocol; nothing behind them can be read.
package enum FrameError: Error, Hashable {
  /// A part of a frame that is no JSON object.
  case notJSON(part: String)
  case typeMissing
  /// A length that is no whole number, or a negative one.
  case lengthInvalid(field: String)
  case tooLong(part: String, length: Int, limit: Int)
  case headerTooLong(limit: Int)
  /// The bytes end within a frame.
  case truncated
}

extension FrameError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notJSON(let part): "the \(part) of a frame is no JSON object"
    case .typeMissing: "a frame has no type, which is a text"
    case .lengthInvalid(let field): "\(field) of a frame is not a whole number from 0"
    case .tooLong(let part, let length, let limit):
      "the \(part) of a frame would be \(length) bytes; \(limit) are the limit"
    case .headerTooLong(let limit): "the first line of a frame is longer than \(limit) bytes"
    case .truncated: "the bytes end within a frame"
    }
  }
}
