import AudioCore
import Testing

@testable import SpeechClientLive

@Suite struct LookAheadQueueTests {
  private struct Broken: Error {}

  private var queue = LookAheadQueue(reach: .init(utterances: 2, audio: .seconds(1)))

  private func buffer(_ duration: Duration) -> AudioBuffer {
    AudioBuffer(silence: FrameCount(duration, at: .speech), format: .speech)
  }

  @Test mutating func `so many utterances may be found ahead of the one that is waited for`() {
    queue.add(buffer(.milliseconds(100)), foundCount: 1)
    #expect(queue.hasRoom)
    queue.add(buffer(.milliseconds(100)), foundCount: 2)
    #expect(!queue.hasRoom)
    queue.heard(1)
    #expect(queue.hasRoom)
  }

  @Test mutating func `with a longer reach there is room again`() {
    queue.add(buffer(.milliseconds(1_100)), foundCount: 2)
    #expect(!queue.hasRoom)
    queue.reach = .init(utterances: 3, audio: .seconds(2))
    #expect(queue.hasRoom)
  }

  @Test mutating func `so much audio may wait, whatever is found in it`() {
    queue.add(buffer(.milliseconds(600)), foundCount: 0)
    #expect(queue.hasRoom)
    queue.add(buffer(.milliseconds(600)), foundCount: 0)
    #expect(!queue.hasRoom)
    _ = queue.next()
    #expect(queue.hasRoom)
  }

  @Test mutating func `who has taken all that waits is never left without audio`() {
    queue.add(buffer(.seconds(5)), foundCount: 7)
    _ = queue.next()
    #expect(queue.hasRoom)
  }

  @Test mutating func `what waits comes before the end or the error, which is told once`() {
    queue.add(buffer(.milliseconds(10)), foundCount: 0)
    queue.end(.failure(Broken()))
    queue.end(.success(()))
    guard case .take = queue.next(), case .fail(let error) = queue.next(), case .end = queue.next()
    else {
      Issue.record("another order")
      return
    }
    #expect(error is Broken && queue.hasRoom)
  }

  @Test mutating func `an abandoned queue holds nothing and keeps nobody waiting`() {
    queue.add(buffer(.seconds(5)), foundCount: 9)
    queue.abandon()
    guard case .end = queue.next() else {
      Issue.record("something waits")
      return
    }
    #expect(queue.hasRoom && queue.isAbandoned)
  }
}
