/// A stream whose first bytes can be looked at before they are taken.
final class StreamHead {
  let stream: StreamInput
  private var bytes: [UInt8] = []

  /// The most that is kept in memory to be looked at: chunks before the audio.
  private static let capacity = 1 << 24

  init(_ stream: StreamInput) {
    self.stream = stream
  }

  /// Up to so many bytes at a place, waited for; fewer where the stream ends.
  func bytes(at offset: Int, count: Int) throws(SoundFileError) -> [UInt8] {
    let end = offset.addingReportingOverflow(count)
    guard !end.overflow, end.partialValue <= Self.capacity else { return [] }
    while bytes.count < end.partialValue {
      let more = try stream.next(atMost: end.partialValue - bytes.count)
      if more.isEmpty { break }
      bytes += more
    }
    return Array(bytes.dropFirst(offset).prefix(count))
  }

  /// Takes the bytes before the audio, which are waited for.
  func skip(_ count: Int) throws(SoundFileError) {
    var rest = count
    while rest > 0 {
      if bytes.isEmpty { bytes = try stream.next(atMost: min(rest, 1 << 16)) }
      guard !bytes.isEmpty else { return }
      let skipped = min(rest, bytes.count)
      bytes.removeFirst(skipped)
      rest -= skipped
    }
  }

  /// What has been looked at, which is taken with this.
  func takeAll() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }

  /// Takes some bytes, which are waited for; none at the end.
  func take(into target: UnsafeMutableRawBufferPointer) throws(SoundFileError) -> Int {
    if bytes.isEmpty { bytes = try stream.next(atMost: target.count) }
    let count = min(bytes.count, target.count)
    target.copyBytes(from: bytes[..<count])
    bytes.removeFirst(count)
    return count
  }
}
