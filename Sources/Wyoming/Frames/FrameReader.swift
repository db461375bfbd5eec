/// Makes events of the bytes that a peer sends, however they are cut.
///
/// It holds at most one frame and what was added behind it: take all events before adding more.
package struct FrameReader {
  private enum Stage {
    case header
    case data(FrameHeader)
    case payload(FrameHeader, [String: JSONValue])
    case broken(FrameError)
  }

  private let limits: WyomingLimits
  private var stage = Stage.header
  private var bytes: [UInt8] = []
  /// Where the part begins that is being read.
  private var begin = 0
  /// How far the line has been searched for its end.
  private var searched = 0

  package init(limits: WyomingLimits = WyomingLimits()) {
    self.limits = limits
  }

  package mutating func add(_ more: some Sequence<UInt8>) {
    if case .broken = stage { return }
    if begin > 0 {
      bytes.removeFirst(begin)
      (begin, searched) = (0, searched - begin)
    }
    bytes.append(contentsOf: more)
  }

  /// The next event; nil until more bytes are there.
  ///
  /// After an error it throws that again.
  package mutating func next() throws(FrameError) -> WyomingEvent? {
    do throws(FrameError) {
      while true {
        switch try step() {
        case .more: return nil
        case .again: continue
        case .event(let event): return event
        }
      }
    } catch {
      stage = .broken(error)
      bytes = []
      throw error
    }
  }

  /// The bytes have ended: throws where that is within a frame.
  package func finish() throws(FrameError) {
    if case .broken(let error) = stage { throw error }
    guard case .header = stage, begin == bytes.count else { throw .truncated }
  }

  private enum Step {
    case more
    case again
    case event(WyomingEvent)
  }

  private mutating func step() throws(FrameError) -> Step {
    switch stage {
    case .header:
      guard let line = try takeLine() else { return .more }
      stage = .data(try FrameHeader(line: line, limits: limits))
      return .again
    case .data(let header):
      guard let data = take(header.dataLength) else { return .more }
      stage = .payload(header, try merged(header.data, with: data))
      return .again
    case .payload(let header, let data):
      guard let payload = take(header.payloadLength) else { return .more }
      stage = .header
      return .event(WyomingEvent(header.type, data, payload: Array(payload)))
    case .broken(let error): throw error
    }
  }

  private mutating func takeLine() throws(FrameError) -> ArraySlice<UInt8>? {
    let end = bytes[max(begin, searched)...].firstIndex(of: UInt8(ascii: "\n"))
    searched = end.map { $0 + 1 } ?? bytes.count
    guard (end ?? bytes.count) - begin <= limits.header else {
      throw .headerTooLong(limit: limits.header)
    }
    guard let end else { return nil }
    defer { begin = end + 1 }
    return bytes[begin..<end]
  }

  private mutating func take(_ length: Int) -> ArraySlice<UInt8>? {
    guard bytes.count - begin >= length else { return nil }
    defer { (begin, searched) = (begin + length, begin + length) }
    return bytes[begin..<begin + length]
  }

  /// What stands behind the line wins over what stands in it.
  private func merged(
    _ inline: [String: JSONValue], with data: ArraySlice<UInt8>
  ) throws(FrameError) -> [String: JSONValue] {
    guard !data.isEmpty else { return inline }
    guard let object = JSONValue(json: data)?.object else { throw .notJSON(part: "data") }
    return inline.merging(object) { $1 }
  }
}
