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

  @Test func `items far outside the queue are its ends`() async throws {
    let request = PlaybackRequest(items: [item(staircase(9_000))], id: "a")
    let playing = await deck.start(request)
    await deck.pass(2)
    try await deck.tell("a", .pause())
    try await deck.tell("a", .seek(to: .frame(7), item: .min))
    await deck.pass { $0.sought != nil }
    #expect(deck.events.compactMap(\.sought).map(\.position) == [0])
    try await deck.tell("a", .seek(to: .frame(0), item: .max))
    try await deck.tell("a", .skip)
    try await deck.tell("a", .enqueue([item(staircase(1_000, from: 20_000))]))
    try await deck.tell("a", .resume())
    try await deck.finish(playing)
    #expect(deck.played.range(of: staircase(920, from: 20_080).samples) != nil)
  }

  @Test func `behind the last item, the item that is sought in is the last one`() async throws {
    let items = [item(staircase(9_000)), item(staircase(9_000, from: 9_000))]
    let playing = await deck.start(PlaybackRequest(items: items, id: "a"))
    await deck.pass(2)
    try await deck.tell("a", .pause())
    for _ in 0..<3 { try await deck.tell("a", .skip) }
    try await deck.tell("a", .seek(to: .frame(1_000)))
    await deck.pass { $0.sought != nil }
    try await deck.tell("a", .resume())
    try await deck.finish(playing)
    #expect(deck.events.compactMap(\.sought).map(\.item) == [1])
    #expect(deck.played.range(of: staircase(7_920, from: 10_080).samples) != nil)
  }

  @Test func `what cannot be converted fails its item, and the others are heard`() async throws {
    let tooSlow = AudioBuffer(
      silence: 10, format: AudioFormat(sampleRate: 30, channelCount: 1))
    let slow = AudioBuffer(
      format: AudioFormat(sampleRate: 4_000, channelCount: 1),
      samples: .init(repeating: 0.5, count: 2_000))
    let request = PlaybackRequest(
      items: [item(staircase(800)), item(slow, tooSlow), item(staircase(1_000))])
    let playing = await deck.start(request)
    await #expect(throws: AudioPlayerError.self) { try await deck.finish(playing) }
    #expect(deck.events.compactMap(\.failedItem) == [1])
    #expect(deck.played.prefix(800).elementsEqual(staircase(800).samples))
    #expect(deck.played.range(of: staircase(1_000).samples) == 4_800..<5_800)
  }

  @Test func `a fade out that would keep more than a minute in memory is refused`() async throws {
    func request(_ seconds: Int) -> PlaybackRequest {
      PlaybackRequest(items: [item(staircase(800))], fadeOut: .seconds(seconds))
    }
    try await deck.finish(await deck.start(request(60)))
    await #expect(throws: AudioPlayerError.fadeOutTooLong(limit: .seconds(60))) {
      try await deck.finish(await deck.start(request(61)))
    }
  }
}
