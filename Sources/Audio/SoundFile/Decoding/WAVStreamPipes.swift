import AudioThreads
import Synchronization

/// A WAV stream of any length as parts that libsndfile can read, each in its own pipe.
///
/// libsndfile reads at most 4 GiB after a header, and nothing after a header that announces no
/// audio.
final class WAVStreamPipes: Sendable {
  /// The maximum number of audio bytes in a part.
  private static let longestPart = 0xFFFF_0000

  private struct State {
    /// The received bytes that belong to the next part.
    var pending: [UInt8]
    /// The number of bytes of the current part that were passed on.
    var passed = 0
    var hasHeader = false
    var hasNext = true
  }

  private let stream: StreamInput
  private let header: [UInt8]
  private let partSize: Int
  // The lock is held while the thread of one pipe divides bytes into parts.
  private let state: Mutex<State>

  /// - Parameters:
  ///   - head: the stream from its header on.
  ///   - layout: the header.
  ///   - longestPart: the maximum number of audio bytes in a part.
  init(
    _ head: StreamHead, _ layout: WAVLayout, longestPart: Int = WAVStreamPipes.longestPart
  ) throws(SoundFileError) {
    try head.skip(layout.audioStart)
    stream = head.stream
    header = layout.header(size: 0xFFFF_FFFF)
    partSize = max(1, longestPart / max(1, layout.blockSize)) * max(1, layout.blockSize)
    state = Mutex(State(pending: head.popInspected()))
  }

  /// Returns the next part; nil after the last one.
  ///
  /// - Parameter previous: the previous part, whose end shows whether another part follows.
  func next(after previous: Descriptor?) throws(SoundFileError) -> Descriptor? {
    previous?.drain()
    let hasNext = state.withLock { state in
      defer { (state.hasNext, state.hasHeader, state.passed) = (false, false, 0) }
      return state.hasNext
    }
    guard hasNext else { return nil }
    return try stream.pumped(after: []) { [self] in pass($0) }
  }

  private func pass(_ bytes: [UInt8]) -> (bytes: [UInt8], isEnd: Bool) {
    state.withLock { state in
      let head = state.hasHeader ? [] : header
      state.hasHeader = true
      let all = state.pending.isEmpty ? bytes : state.pending + bytes
      let count = min(all.count, partSize - state.passed)
      state.pending = count == all.count ? [] : Array(all[count...])
      state.passed += count
      state.hasNext = state.passed == partSize
      let passed = count == all.count ? all : Array(all[..<count])
      return (head.isEmpty ? passed : head + passed, state.hasNext)
    }
  }
}
