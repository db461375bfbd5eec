import AudioCore
import AudioPlayerClient
import Testing

@testable import AudioPlayerClientLive

/// Tests that a queue releases items that cannot be played again.
@Suite struct QueueMemoryTests {
  @Test func `a skipped stream is released before the playback ends`() async throws {
    weak var resource: Resource?
    let queue = queue(&resource)
    let isThere = resource != nil
    _ = try await queue.open()
    var hasAudio = false
    while !hasAudio, let step = try await queue.next() {
      if case .audio = step { hasAudio = true }
    }
    queue.forget(before: 400, of: 0)
    let place = try await queue.perform(.skip, at: ItemPosition(item: 0))
    let isGone = resource == nil
    #expect(isThere && hasAudio && isGone)
    #expect(place?.item == 1)
    await #expect(throws: AudioPlayerError.notSeekable(nil)) {
      try await queue.perform(.seek(to: .frame(0), item: 0), at: ItemPosition(item: 1))
    }
  }

  private final class Resource: Sendable {}

  /// Creates a queue of two items: a stream that never ends, and a sound.
  private func queue(_ resource: inout Resource?) -> PlaybackQueue {
    let held = Resource()
    resource = held
    let stream = AsyncThrowingStream<AudioBuffer, any Error> {
      withExtendedLifetime(held) { staircase(800) }
    }
    let items = [
      PlaybackItem(source: .stream(stream)),
      PlaybackItem(source: .buffers([staircase(800)])),
    ]
    return PlaybackQueue(items, .times(1), FeederMailbox("a")) { $0.makeSource($1) }
  }
}
