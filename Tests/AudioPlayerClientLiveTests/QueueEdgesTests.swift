import AudioCore
import AudioPlayerClient
import AudioThreads
import Foundation
import Testing

@testable import AudioPlayerClientLive

/// What a queue is told before its first frame, at its end, and beyond both.
@Suite(.timeLimit(.minutes(1))) struct QueueEdgesTests {
  let deck = Deck()
  let missing = PlaybackItem(source: .file(URL(fileURLWithPath: "/nowhere.wav")))

  private func item(_ buffers: AudioBuffer...) -> PlaybackItem {
    PlaybackItem(source: .buffers(buffers))
  }

  @Test func `what an item failed with is thrown whenever a request comes too late`() async throws {
    let request = PlaybackRequest(items: [item(staircase(4_000)), missing], id: "a")
    let playing = await deck.start(request)
    while true {
      do { try await deck.tell("a", .enqueue([])) } catch { break }
    }
    await #expect(throws: AudioPlayerError.self) { try await deck.finish(playing) }
  }
}
