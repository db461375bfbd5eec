import AudioCore
import AudioPlayerClient
import AudioThreads
import Testing

/// Streams in a queue that have been read ahead of what is heard.
@Suite(.timeLimit(.minutes(1))) struct QueuedStreamTests {
  let deck = Deck()
  let read = Gate()

  /// A stream of 20 buffers of a thousand frames; the gate opens when so many of them are read.
  private func stream(opensAt count: Int) -> PlaybackSource {
    let rest = Ring<Int>(capacity: 20)
    for index in 0..<20 { rest.tryWrite(index) }
    return .stream(
      AsyncThrowingStream { [read] in
        guard let index = rest.tryRead() else { return nil }
        if index == count { read.open() }
        return staircase(1_000, from: 6_400 + index * 1_000)
      })
  }

  private func startBehindJingle() async -> Task<Void, any Error> {
    let jingle = PlaybackItem(source: .buffers([staircase(6_400)]))
    let stream = PlaybackItem(source: stream(opensAt: 1))
    let playing = await deck.start(PlaybackRequest(items: [jingle, stream], id: "a"))
    await deck.pass(4)
    await read.wait()
    return playing
  }

  @Test func `a skip to a stream that has been read begins with its first frame`() async throws {
    let playing = await startBehindJingle()
    try await deck.tell("a", .skip)
    try await deck.finish(playing)
    #expect(deck.played.range(of: staircase(19_920, from: 6_480).samples) != nil)
    #expect(deck.events.compactMap(\.advanced).map(\.item) == [1])
    #expect(deck.events.compactMap(\.advanced).map(\.position) == [0])
  }

  @Test func `a seek in the item before it loses nothing of it`() async throws {
    let playing = await startBehindJingle()
    try await deck.tell("a", .seek(to: .frame(3_000)))
    try await deck.finish(playing)
    #expect(deck.played.range(of: staircase(23_320, from: 3_080).samples) != nil)
    #expect(deck.events.last?.finish?.reason == .completed)
  }

  @Test func `a stream can be sought forward by less than has been read of it`() async throws {
    let playing = await deck.start(PlaybackRequest(source: stream(opensAt: 7), id: "a"))
    await deck.pass(8)
    await read.wait()
    await deck.pass { $0.progress != nil }
    let heard = try #require(deck.events.compactMap(\.progress).last?.position)
    try await deck.tell("a", .seek(to: .frame(heard + 1_600)))
    try await deck.finish(playing)
    #expect(deck.events.compactMap(\.sought).map(\.position) == [heard + 1_600])
    let rest = staircase(18_320 - heard.rawValue, from: 8_080 + heard.rawValue)
    #expect(deck.played.range(of: rest.samples) != nil)
  }

  @Test func `a stream that was left goes on with what was not heard of it`() async throws {
    let jingle = PlaybackItem(source: .buffers([staircase(6_400)]))
    let item = PlaybackItem(source: stream(opensAt: 7))
    let playing = await deck.start(PlaybackRequest(items: [jingle, item], id: "a"))
    try await deck.tell("a", .seek(to: .frame(2_000), item: 1))
    await read.wait()
    await deck.pass { $0.progress?.item == 1 }
    try await deck.tell("a", .seek(to: .frame(5_000), item: 0))
    try await deck.finish(playing)
    #expect(deck.played.range(of: staircase(1_320, from: 5_080).samples) != nil)
    #expect(deck.events.compactMap(\.advanced).map(\.item) == [1])
    #expect(deck.events.compactMap(\.failedItem).isEmpty)
    #expect(deck.played.range(of: staircase(12_000, from: 14_400).samples) != nil)
  }
}
