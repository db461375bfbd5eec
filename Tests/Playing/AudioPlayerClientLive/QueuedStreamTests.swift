import AudioCore
import AudioPlayerClient
import AudioThreads
import TestTools
import Testing

/// Streams in a queue that have been read ahead of the playhead.
@Suite(.fewAtATime, .timeLimit(.minutes(5))) struct QueuedStreamTests {
  let harness = PlayerHarness()
  let read = Gate()

  /// Creates a stream of 20 buffers of 1,000 frames; the gate opens when `count` buffers have been
  /// read.
  private func stream(opensAt count: Int) -> PlaybackSource {
    let rest = RingBuffer<Int>(capacity: 20)
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
    let playing = await harness.start(PlaybackRequest(items: [jingle, stream], id: "a"))
    await harness.pass(4)
    await read.wait()
    return playing
  }

  @Test func `a skip to a stream that has been read ahead begins at the stream's first frame`()
    async throws
  {
    let playing = await startBehindJingle()
    try await harness.send("a", .skip)
    try await harness.finish(playing)
    #expect(harness.played.range(of: staircase(19_920, from: 6_480).samples) != nil)
    #expect(harness.events.compactMap(\.advanced).map(\.item) == [1])
    #expect(harness.events.compactMap(\.advanced).map(\.position) == [0])
  }

  @Test func `a seek in the item before a stream loses none of the stream`() async throws {
    let playing = await startBehindJingle()
    try await harness.send("a", .seek(to: .frame(3_000)))
    try await harness.finish(playing)
    #expect(harness.played.range(of: staircase(23_320, from: 3_080).samples) != nil)
    #expect(harness.events.last?.finish?.reason == .completed)
  }

  @Test func `a stream can seek within the audio that has been read ahead`() async throws {
    let playing = await harness.start(PlaybackRequest(source: stream(opensAt: 7), id: "a"))
    await harness.pass(8)
    await read.wait()
    await harness.pass { $0.progress != nil }
    let played = try #require(harness.events.compactMap(\.progress).last?.position)
    try await harness.send("a", .seek(to: .frame(played + 1_600)))
    try await harness.finish(playing)
    #expect(harness.events.compactMap(\.sought).map(\.position) == [played + 1_600])
    let rest = staircase(18_320 - played.rawValue, from: 8_080 + played.rawValue)
    #expect(harness.played.range(of: rest.samples) != nil)
  }

  @Test func `a stream interrupted by a seek resumes at its first unplayed frame`() async throws {
    let jingle = PlaybackItem(source: .buffers([staircase(6_400)]))
    let item = PlaybackItem(source: stream(opensAt: 7))
    let playing = await harness.start(PlaybackRequest(items: [jingle, item], id: "a"))
    try await harness.send("a", .seek(to: .frame(2_000), item: 1))
    await read.wait()
    await harness.pass { $0.progress?.item == 1 }
    try await harness.send("a", .seek(to: .frame(5_000), item: 0))
    try await harness.finish(playing)
    #expect(harness.played.range(of: staircase(1_320, from: 5_080).samples) != nil)
    #expect(harness.events.compactMap(\.advanced).map(\.item) == [1])
    #expect(harness.events.compactMap(\.failedItem).isEmpty)
    #expect(harness.played.range(of: staircase(12_000, from: 14_400).samples) != nil)
  }
}
