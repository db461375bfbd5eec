import AudioCore
import AudioPlayerClient
import AudioThreads
import Foundation
import TestTools
import Testing

/// Files that can be read only once and block their reader.
@Suite(.fewAtATime, .timeLimit(.minutes(5))) struct NamedPipeTests {
  let harness = PlayerHarness()
  private let pipe: NamedPipe
  private var item: PlaybackItem { PlaybackItem(source: .file(pipe.url)) }
  private let other = PlaybackItem(source: .buffers([staircase(3_000, from: 9_000)]))

  init() throws {
    pipe = try NamedPipe(staircase(6_000))
  }

  @Test func `a pipe is played from its first frame to its last`() async throws {
    let writer = try pipe.open()
    try writer.write(contentsOf: pipe.bytes(6_000))
    let playing = await harness.start(PlaybackRequest(items: [item, other]))
    try writer.close()
    try await harness.finish(playing)
    let whole = staircase(6_000).samples + staircase(3_000, from: 9_000).samples
    #expect(harness.hasPlayed(whole))
    #expect(harness.events.compactMap(\.advanced).map(\.item) == [1])
  }

  @Test func `a pipe that ends before the length in its header is reported`() async throws {
    let writer = try pipe.open()
    try writer.write(contentsOf: pipe.bytes(3_000))
    let playing = await harness.start(PlaybackRequest(items: [item, other]))
    try writer.close()
    try await harness.finish(playing)
    let shortfalls = harness.events.compactMap { event -> [Duration]? in
      guard case .shortfall(0, let announced?, let decoded) = event else { return nil }
      return [announced, decoded]
    }
    #expect(shortfalls == [[.milliseconds(750), .milliseconds(375)]])
    #expect(harness.hasPlayed(staircase(3_000).samples))
  }

  @Test func `a stalled pipe can be skipped, and cannot be played again`() async throws {
    let writer = try pipe.open()
    try writer.write(contentsOf: pipe.bytes(3_000))
    let playing = await harness.start(PlaybackRequest(items: [item, other], id: "a"))
    await harness.pass(8)
    try await harness.send("a", .skip)
    await #expect(throws: AudioPlayerError.notSeekable(pipe.url)) {
      try await harness.player.control(id: "a", command: .seek(to: .frame(0), item: 0))
    }
    try await harness.finish(playing)
    #expect(harness.hasPlayed(staircase(2_920, from: 9_080).samples))
    #expect(harness.events.last?.finish?.reason == .completed)
    try writer.close()
    #expect(pipe.isLeft())
  }

  @Test func `stop closes a stalled pipe`() async throws {
    let writer = try pipe.open()
    try writer.write(contentsOf: pipe.bytes(3_000))
    let playing = await harness.start(PlaybackRequest(items: [item, other], id: "a"))
    await harness.pass(4)
    try await harness.send("a", .stop())
    try await harness.finish(playing)
    #expect(harness.events.last?.finish?.reason == .stopped)
    try writer.close()
    #expect(pipe.isLeft())
  }

  @Test func `a seek past the data of a pipe is refused at once and loses nothing`()
    async throws
  {
    let writer = try pipe.open()
    try writer.write(contentsOf: pipe.bytes(3_000))
    let playing = await harness.start(PlaybackRequest(items: [item], id: "a"))
    await harness.pass(4)
    await #expect(throws: AudioPlayerError.notSeekable(pipe.url)) {
      try await harness.player.control(id: "a", command: .seek(to: .frame(5_500)))
    }
    await harness.pass(6)
    await #expect(throws: AudioPlayerError.notSeekable(pipe.url)) {
      try await harness.player.control(id: "a", command: .seek(to: .frame(0)))
    }
    try writer.write(contentsOf: pipe.rest(from: 3_000))
    try writer.close()
    try await harness.finish(playing)
    #expect(harness.hasPlayed(staircase(2_900).samples))
    #expect(harness.hasPlayed(staircase(2_900, from: 3_100).samples))
    #expect(harness.events.last?.finish?.played == .milliseconds(750))
  }

  @Test func `a pipe without a writer can be skipped before the first audio`() async throws {
    let (playing, begun) = await harness.begin(PlaybackRequest(items: [item, other], id: "a"))
    try await harness.player.control(id: "a", command: .skip)
    await begun.wait()
    try await harness.finish(playing)
    #expect(harness.hasPlayed(staircase(3_000, from: 9_000).samples))
    #expect(pipe.isLeft())
  }

  @Test func `a seek to another item ends the wait for a pipe's writer`() async throws {
    let (playing, begun) = await harness.begin(PlaybackRequest(items: [item, other], id: "a"))
    try await harness.player.control(id: "a", command: .enqueue([other]))
    try await harness.player.control(id: "a", command: .seek(to: .frame(1_000), item: 1))
    await begun.wait()
    try await harness.finish(playing)
    let rest = staircase(2_000, from: 10_000).samples + staircase(3_000, from: 9_000).samples
    #expect(harness.hasPlayed(rest))
  }

  @Test func `skipping the only item, a pipe, ends the playback`() async throws {
    let (playing, _) = await harness.begin(PlaybackRequest(items: [item], id: "a"))
    try await harness.player.control(id: "a", command: .skip)
    try await playing.value
    #expect(harness.events == [.finished(PlaybackFinish(reason: .completed, played: .zero))])
  }

  @Test func `a skip ends the wait for a writer of the second item's pipe`()
    async throws
  {
    let items = [PlaybackItem(source: .buffers([staircase(2_000)])), item, other]
    let playing = await harness.start(PlaybackRequest(items: items, id: "a"))
    await harness.pass(4)
    // The first skip would take effect when the pipe's audio begins, which never happens.
    let first = Task { try await harness.player.control(id: "a", command: .skip) }
    try await harness.send("a", .skip)
    try await first.value
    try await harness.finish(playing)
    #expect(harness.hasPlayed(staircase(2_920, from: 9_080).samples))
    #expect(harness.events.compactMap(\.failedItem).isEmpty)
  }

  @Test func `a pipe is played from its first frame even if a command ended the wait for a writer`()
    async throws
  {
    let items = [PlaybackItem(source: .buffers([staircase(2_000, from: 9_000)])), item]
    let playing = await harness.start(PlaybackRequest(items: items, id: "a"))
    await harness.pass(4)
    try await harness.player.control(id: "a", command: .enqueue([other]))
    let writer = try pipe.open()
    try writer.write(contentsOf: pipe.bytes(6_000))
    try writer.close()
    await harness.pass { $0.advanced?.item == 1 }
    try await harness.finish(playing)
    let whole = staircase(6_000).samples + staircase(3_000, from: 9_000).samples
    #expect(harness.hasPlayed(whole))
  }

  @Test func `a pipe cannot be repeated`() async throws {
    let once = AudioPlayerError.streamCannotRepeat
    for request in [
      PlaybackRequest(source: .file(pipe.url), repetition: .forever),
      PlaybackRequest(items: [item], cycle: .times(2)),
    ] {
      let (playing, _) = await harness.begin(request)
      await #expect(throws: once) { try await playing.value }
    }
  }
}
