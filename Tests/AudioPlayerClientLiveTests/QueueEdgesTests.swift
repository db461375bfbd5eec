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

  @Test func `what is skipped before its first frame is completed, with nothing heard`()
    async throws
  {
    let (given, asked, released) = (Ring<Int>(capacity: 1), Gate(), Gate())
    let stream = AsyncThrowingStream<AudioBuffer, any Error> {
      if given.tryWrite(1) { return staircase(1_000) }
      asked.open()
      await released.wait()
      return nil
    }
    // All of it is held back for the fade.
    let request = PlaybackRequest(source: .stream(stream), id: "a", fadeOut: .seconds(10))
    let starting = Task { await deck.start(request) }
    await asked.wait()
    try await deck.player.control(id: "a", command: .skip)
    try await deck.finish(await starting.value)
    #expect(
      deck.events.last == .finished(PlaybackFinish(reason: .completed, heard: .zero)))
    released.open()
  }
}
