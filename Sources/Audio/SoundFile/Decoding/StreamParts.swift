import AudioThreads
import Glibc
import Synchronization

/// A stream in parts that a decoder reads one after another, each from its own pipe.
final class StreamParts<Division: Sendable>: Sendable {
  /// Returns those of the received bytes that belong to the current part, and whether it ends.
  typealias Divide =
    @Sendable (_ state: inout Division, _ bytes: [UInt8]) -> (bytes: [UInt8], isEnd: Bool)

  private let stream: StreamInput
  private let divide: Divide
  // The lock is held while the thread of one pipe divides bytes.
  private let state: Mutex<(division: Division, hasNext: Bool)>

  init(_ stream: StreamInput, _ division: Division, divide: @escaping Divide) {
    (self.stream, self.divide) = (stream, divide)
    state = Mutex((division, true))
  }

  /// Returns a value computed from the state of the division.
  func inspect<Value: Sendable>(_ body: (Division) -> Value) -> Value {
    state.withLock { body($0.division) }
  }

  /// Returns the next part; nil after the last one.
  ///
  /// - Parameter previous: the previous part. Its remaining bytes are read, because a decoder may
  ///   stop before the end and the end shows whether another part follows.
  func next(after previous: Descriptor?) throws(SoundFileError) -> Descriptor? {
    previous?.drain()
    let hasNext = state.withLock { state in
      defer { state.hasNext = false }
      return state.hasNext
    }
    guard hasNext else { return nil }
    return try stream.pumped(after: []) { [self] bytes in
      state.withLock { state in
        let passed = divide(&state.division, bytes)
        state.hasNext = passed.isEnd
        return passed
      }
    }
  }
}

extension Descriptor {
  /// Discards the rest of a pipe.
  fileprivate func drain() {
    var rest = [UInt8](repeating: 0, count: 1 << 12)
    while true {
      let count = read(number, &rest, rest.count)
      guard count > 0 || (count < 0 && errno == EINTR) else { return }
    }
  }
}

extension StreamHead {
  /// The links of an Ogg stream.
  func oggLinks() -> StreamParts<OggLinks> {
    StreamParts(stream, OggLinks(pending: popInspected())) { $0.divide($1) }
  }

  /// A WAV stream of any length in parts that libsndfile can read.
  ///
  /// libsndfile reads at most 4 GiB after a header, and nothing after a header that announces no
  /// audio.
  ///
  /// - Parameters:
  ///   - layout: the header at the beginning of the stream.
  ///   - longestPart: the maximum number of audio bytes in a part.
  func wavParts(
    _ layout: WAVLayout, longestPart: Int = 0xFFFF_0000
  ) throws(SoundFileError) -> StreamParts<(pending: [UInt8], room: Int)> {
    try skip(layout.audioStart)
    let header = layout.header(size: 0xFFFF_FFFF)
    let blockSize = max(1, layout.blockSize)
    let partSize = max(1, longestPart / blockSize) * blockSize
    // The received bytes of the next part, and the number of audio bytes that the current part
    // still takes; 0 before its header.
    return StreamParts(stream, (pending: popInspected(), room: 0)) { state, bytes in
      let head = state.room == 0 ? header : []
      if state.room == 0 { state.room = partSize }
      let all = state.pending.isEmpty ? bytes : state.pending + bytes
      let count = min(all.count, state.room)
      state.pending = count == all.count ? [] : Array(all[count...])
      state.room -= count
      let passed = count == all.count ? all : Array(all[..<count])
      return (head.isEmpty ? passed : head + passed, state.room == 0)
    }
  }
}
