import AudioThreads
import Glibc
import Synchronization

extension StreamInput {
  /// Divides the stream into parts that a decoder reads one after another, each from its own pipe.
  ///
  /// - Parameter divide: adds received bytes; returns the bytes that belong to the current part,
  ///   and whether the part ends.
  /// - Returns: a function that returns the next part; nil after the last part.
  func parts(
    _ divide: @escaping @Sendable (_ bytes: [UInt8]) -> (bytes: [UInt8], isEnd: Bool)
  ) -> () throws(SoundFileError) -> Descriptor? {
    let hasNext = Mutex(true)
    var part: Descriptor?
    return { () throws(SoundFileError) in
      // A decoder may stop before the end of its part, so the rest is read: only the end of the
      // part shows whether another part follows.
      part.take()?.drain()
      let isNext = hasNext.withLock { hasNext in
        defer { hasNext = false }
        return hasNext
      }
      guard isNext else { return nil }
      part = try self.pumped { bytes in
        let passed = divide(bytes)
        hasNext.withLock { $0 = passed.isEnd }
        return passed
      }
      return part
    }
  }

  /// Divides a WAV stream of any length into parts that libsndfile can read.
  ///
  /// libsndfile reads at most 4 GiB after a header, and nothing after a header that announces no
  /// audio.
  ///
  /// - Parameters:
  ///   - layout: the header at the beginning of the stream.
  ///   - longestPart: the maximum number of audio bytes in a part.
  func wavParts(
    _ layout: WAVLayout, longestPart: Int = 0xFFFF_0000
  ) throws(SoundFileError) -> () throws(SoundFileError) -> Descriptor? {
    try skip(layout.audioStart)
    let header = layout.header(size: 0xFFFF_FFFF)
    let blockSize = max(1, layout.blockSize)
    let partSize = max(1, longestPart / blockSize) * blockSize
    // The received bytes that belong to the next part, and the number of audio bytes for which the
    // current part has room; 0 before the part's header.
    let state = Mutex<(pending: [UInt8], room: Int)>(([], 0))
    return parts { bytes in
      state.withLock { state in
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
