import AudioCore
import AudioPlayerClient
import Synchronization
import Testing

@testable import AudioPlayerClientLive

@Suite struct PlaybackQueueTests {
  @Test func `a list that repeats forever ends after a repetition without audio`() async throws {
    let openings = Mutex(0)
    let item = PlaybackItem(source: .buffers([staircase(8)]))
    let queue = PlaybackQueue([item], .forever, FeederMailbox("a")) { _, mailbox in
      let isFirst = openings.withLock { count in
        count += 1
        return count == 1
      }
      return BufferSource(isFirst ? [staircase(8)] : [], mailbox)
    }
    _ = try await queue.open()
    var stepCount = 0
    while stepCount < 20, try await queue.next() != nil { stepCount += 1 }
    #expect(stepCount < 20)
    #expect(queue.failure == .emptySource(nil))
  }
}
