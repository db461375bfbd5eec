import AudioCore
import AudioPlayerClient
import Foundation
import TestTools
import Testing

/// A list that is played more than once.
@Suite(.fewAtATime, .timeLimit(.minutes(5))) struct CycleTests {
  let harness = PlayerHarness()

  private func item(_ frames: Int, from first: Int = 0) -> PlaybackItem {
    PlaybackItem(source: .buffers([staircase(frames, from: first)]))
  }

  @Test func `the last and the first item join without missing or doubled samples`() async throws {
    let request = PlaybackRequest(items: [item(3_001), item(1_000, from: 3_001)], cycle: .times(3))
    try await harness.finish(await harness.start(request))
    let once = staircase(4_001).samples
    let isThrice = harness.played.prefix(12_003).elementsEqual(once + once + once)
    #expect(isThrice)
    #expect(harness.played.dropFirst(12_003).allSatisfy { $0 == 0 })
    #expect(harness.events.compactMap(\.advanced).map(\.item) == [1, 0, 1, 0, 1])
  }

  @Test func `each round plays each item with its repetitions`() async throws {
    var twice = item(500)
    twice.repetition = .times(2)
    let request = PlaybackRequest(items: [twice, item(300, from: 900)], cycle: .times(2))
    try await harness.finish(await harness.start(request))
    let round = staircase(500).samples + staircase(500).samples + staircase(300, from: 900).samples
    let isTwice = harness.played.prefix(2_600).elementsEqual(round + round)
    #expect(isTwice)
    #expect(harness.events.compactMap(\.loopCount) == [1, 1])
  }

  @Test func `a list of files repeats until it is stopped`() async throws {
    let items = try [staircase(800), staircase(700, from: 800)].map {
      PlaybackItem(source: .file(try temporaryWAV($0)))
    }
    let playing = await harness.start(PlaybackRequest(items: items, cycle: .forever, id: "a"))
    await harness.pass(30)
    try await harness.send("a", .stop())
    try await harness.finish(playing)
    let rounds = (0..<4).flatMap { _ in staircase(1_500).samples }
    let isRepeated = harness.played.starts(with: rounds.prefix(5_000))
    #expect(isRepeated)
    #expect(harness.events.last?.finish?.reason == .stopped)
  }

  @Test(arguments: [1, 100])
  func `a short file is played in every round, and at most 20 rounds a second are reported`(
    frames: Int
  ) async throws {
    let item = PlaybackItem(source: .file(try temporaryWAV(staircase(frames))))
    let playing = await harness.start(PlaybackRequest(items: [item], cycle: .forever, id: "a"))
    await harness.pass(40)
    try await harness.send("a", .stop())
    try await harness.finish(playing)
    let once = staircase(frames).samples
    let isRepeated = (0..<6_000).allSatisfy { harness.played[$0] == once[$0 % frames] }
    #expect(isRepeated)
    #expect(harness.events.compactMap(\.advanced).count <= harness.played.count / 400)
  }

  @Test func `a skip in the last item moves to the next round, or in the last round to the end`()
    async throws
  {
    let items = [item(40_000), item(40_000, from: 100)]
    let playing = await harness.start(PlaybackRequest(items: items, cycle: .times(2), id: "a"))
    await harness.pass(4)
    for _ in 0..<3 { try await harness.send("a", .skip) }
    await harness.pass(8)
    try await harness.send("a", .skip)
    try await harness.finish(playing)
    #expect(harness.events.compactMap(\.advanced).map(\.item) == [1, 0, 1])
    #expect(harness.events.last?.finish?.reason == .completed)
  }

  @Test func `a skip keeps the later rounds, even if they are already decoded`() async throws {
    let items = [item(2_000), item(2_000, from: 2_000)]
    let playing = await harness.start(PlaybackRequest(items: items, cycle: .times(10), id: "a"))
    await harness.pass(3)
    try await harness.send("a", .skip)
    try await harness.finish(playing)
    #expect(harness.events.compactMap(\.advanced).count == 19)
  }

  @Test func `a seek within a repeated list stays in the current round`() async throws {
    let items = [item(4_000), item(4_000, from: 4_000)]
    let playing = await harness.start(PlaybackRequest(items: items, cycle: .times(2), id: "a"))
    await harness.pass { $0.advanced?.item == 1 }
    try await harness.send("a", .seek(to: .frame(2_000), item: 0))
    try await harness.finish(playing)
    let rest = staircase(5_920, from: 2_080).samples + staircase(8_000).samples
    let found = harness.played.range(of: rest)
    #expect(found != nil)
    #expect(harness.played.dropFirst(found?.upperBound ?? 0).allSatisfy { $0 == 0 })
  }

  @Test
  func `a seek stays in the current repetition, even if later repetitions are already decoded`()
    async throws
  {
    var item = item(8_000)
    item.repetition = .times(3)
    let playing = await harness.start(PlaybackRequest(items: [item], id: "a"))
    await harness.pass(5)
    try await harness.send("a", .seek(to: .frame(4_000)))
    try await harness.finish(playing)
    #expect(harness.events.compactMap(\.loopCount) == [1, 2])
  }

  @Test
  func `a seek in the last repetition adds no repetition, even if everything is already decoded`()
    async throws
  {
    var item = item(16_000)
    item.repetition = .times(2)
    let playing = await harness.start(PlaybackRequest(items: [item], id: "a"))
    await harness.pass { $0.loopCount == 1 }
    await harness.pass(50)
    try await harness.send("a", .seek(to: .frame(8_000)))
    try await harness.finish(playing)
    #expect(harness.events.compactMap(\.loopCount) == [1])
    let played = try #require(harness.events.last?.finish?.played)
    #expect(played > .seconds(4) && played < .seconds(5))
  }

  @Test func `an enqueued item is part of every later round`() async throws {
    let playing = await harness.start(
      PlaybackRequest(items: [item(30_000)], cycle: .times(2), id: "a"))
    await harness.pass(2)
    try await harness.send("a", .enqueue([item(100, from: 30_000)]))
    try await harness.finish(playing)
    let round = staircase(30_100).samples
    let isEveryRound = harness.played.prefix(60_200).elementsEqual(round + round)
    #expect(isEveryRound)
  }

  @Test func `a round without audio is the last round`() async throws {
    let request = PlaybackRequest(
      items: [
        PlaybackItem(source: .file(URL(fileURLWithPath: "/nowhere.wav"))),
        PlaybackItem(source: .buffers([])),
      ],
      cycle: .forever)
    let (playing, _) = await harness.begin(request)
    await #expect(throws: AudioPlayerError.self) { try await playing.value }
    #expect(harness.events.compactMap(\.failedItem) == [0, 1])
  }

  @Test func `a failing item is reported in every round`() async throws {
    let missing = PlaybackItem(source: .file(URL(fileURLWithPath: "/nowhere.wav")))
    let request = PlaybackRequest(items: [missing, item(1_000)], cycle: .times(3))
    let playing = await harness.start(request)
    await #expect(throws: AudioPlayerError.self) { try await harness.finish(playing) }
    #expect(harness.events.compactMap(\.failedItem) == [0, 0, 0])
    let thrice = (0..<3).flatMap { _ in staircase(1_000).samples }
    let isThrice = harness.played.starts(with: thrice)
    #expect(isThrice)
  }

  @Test func `a repeated list rejects streams, even when they are enqueued`() async throws {
    let empty = AsyncThrowingStream<AudioBuffer, any Error> { $0.finish() }
    let stream = PlaybackItem(source: .stream(empty))
    let (refused, _) = await harness.begin(PlaybackRequest(items: [stream], cycle: .forever))
    await #expect(throws: AudioPlayerError.streamCannotRepeat) { try await refused.value }
    let playing = await harness.start(
      PlaybackRequest(items: [item(8_000)], cycle: .times(2), id: "a"))
    await #expect(throws: AudioPlayerError.streamCannotRepeat) {
      try await harness.player.control(id: "a", command: .enqueue([stream]))
    }
    try await harness.finish(playing)
  }
}
