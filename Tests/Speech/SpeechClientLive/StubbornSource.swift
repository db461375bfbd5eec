import AudioCore
import AudioThreads
import Synchronization

/// A stream that delivers some buffers, then nothing, and does not end when its consumer is
/// canceled.
final class StubbornSource: AsyncSequence, AsyncIteratorProtocol, Sendable {
  /// Opens when the consumer requests a buffer that the stream never delivers.
  let isAsked = Gate()
  private let end = Gate()
  private let rest: Mutex<ArraySlice<AudioBuffer>>

  init(_ buffers: [AudioBuffer] = []) {
    rest = Mutex(buffers[...])
  }

  func makeAsyncIterator() -> StubbornSource { self }

  func next() async -> AudioBuffer? {
    if let buffer = rest.withLock({ $0.popFirst() }) { return buffer }
    isAsked.open()
    await end.wait()
    return nil
  }

  func release() {
    end.open()
  }
}
