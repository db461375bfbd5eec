import AudioCore
import AudioPlayerClient
import AudioThreads
import Foundation
import Testing

/// Files that come only once and keep their reader waiting.
@Suite(.timeLimit(.minutes(1))) struct NamedPipeTests {
  let deck = Deck()
  private let pipe: NamedPipe
  private var item: PlaybackItem { PlaybackItem(source: .file(pipe.url)) }
  private let other = PlaybackItem(source: .buffers([staircase(3_000, from: 9_000)]))

  init() throws {
    pipe = try NamedPipe(staircase(6_000))
  }

  @Test func `a pipe is played from its first frame to its last`() async throws {
    let writer = try pipe.open()
    try writer.write(contentsOf: pipe.bytes(6_000))
    let playing = await deck.start(PlaybackRequest(items: [item, other]))
    try writer.close()
    try await deck.finish(playing)
    let whole = staircase(6_000).samples + staircase(3_000, from: 9_000).samples
    #expect(deck.hasPlayed(whole))
    #expect(deck.events.compactMap(\.advanced).map(\.item) == [1])
  }

  @Test func `one that stalls can be skipped, and cannot be played again`() async throws {
    let writer = try pipe.open()
    try writer.write(contentsOf: pipe.bytes(3_000))
    let playing = await deck.start(PlaybackRequest(items: [item, other], id: "a"))
    await deck.pass(8)
    try await deck.tell("a", .skip)
    await #expect(throws: AudioPlayerError.notSeekable(pipe.url)) {
      try await deck.player.control(id: "a", command: .seek(to: .frame(0), item: 0))
    }
    try await deck.finish(playing)
    #expect(deck.hasPlayed(staircase(2_920, from: 9_080).samples))
    #expect(deck.events.last?.finish?.reason == .completed)
    try writer.close()
    #expect(pipe.isLeft())
  }

  @Test func `one that stalls can be stopped, and is closed then`() async throws {
    let writer = try pipe.open()
    try writer.write(contentsOf: pipe.bytes(3_000))
    let playing = await deck.start(PlaybackRequest(items: [item, other], id: "a"))
    await deck.pass(4)
    try await deck.tell("a", .stop())
    try await deck.finish(playing)
    #expect(deck.events.last?.finish?.reason == .stopped)
    try writer.close()
    #expect(pipe.isLeft())
  }

  @Test func `a seek to what has not come is refused at once, and nothing is lost by it`()
    async throws
  {
    let writer = try pipe.open()
    try writer.write(contentsOf: pipe.bytes(3_000))
    let playing = await deck.start(PlaybackRequest(items: [item], id: "a"))
    await deck.pass(4)
    await #expect(throws: AudioPlayerError.notSeekable(pipe.url)) {
      try await deck.player.control(id: "a", command: .seek(to: .frame(5_500)))
    }
    await deck.pass(6)
    await #expect(throws: AudioPlayerError.notSeekable(pipe.url)) {
      try await deck.player.control(id: "a", command: .seek(to: .frame(0)))
    }
    try writer.write(contentsOf: pipe.rest(from: 3_000))
    try writer.close()
    try await deck.finish(playing)
    #expect(deck.hasPlayed(staircase(2_900).samples))
    #expect(deck.hasPlayed(staircase(2_900, from: 3_100).samples))
    #expect(deck.events.last?.finish?.heard == .milliseconds(750))
  }

  @Test func `one that nobody writes to can be skipped before anything is heard`() async throws {
    let (playing, begun) = await deck.begin(PlaybackRequest(items: [item, other], id: "a"))
    try await deck.player.control(id: "a", command: .skip)
    await begun.wait()
    try await deck.finish(playing)
    #expect(deck.hasPlayed(staircase(3_000, from: 9_000).samples))
    #expect(pipe.isLeft())
  }

  @Test func `it can be left by a seek to another item, too`() async throws {
    let (playing, begun) = await deck.begin(PlaybackRequest(items: [item, other], id: "a"))
    try await deck.player.control(id: "a", command: .enqueue([other]))
    try await deck.player.control(id: "a", command: .seek(to: .frame(1_000), item: 1))
    await begun.wait()
    try await deck.finish(playing)
    let rest = staircase(2_000, from: 10_000).samples + staircase(3_000, from: 9_000).samples
    #expect(deck.hasPlayed(rest))
  }

  @Test func `where it is all that there was, a skip ends the playback`() async throws {
    let (playing, _) = await deck.begin(PlaybackRequest(items: [item], id: "a"))
    try await deck.player.control(id: "a", command: .skip)
    try await playing.value
    #expect(deck.events == [.finished(PlaybackFinish(reason: .completed, heard: .zero))])
  }

  @Test func `one that nobody writes to is waited for where it follows, until it is skipped`()
    async throws
  {
    let items = [PlaybackItem(source: .buffers([staircase(2_000)])), item, other]
    let playing = await deck.start(PlaybackRequest(items: items, id: "a"))
    await deck.pass(4)
    // It is in force when the item sounds, which this one never does.
    let first = Task { try await deck.player.control(id: "a", command: .skip) }
    try await deck.tell("a", .skip)
    try await first.value
    try await deck.finish(playing)
    #expect(deck.hasPlayed(staircase(2_920, from: 9_080).samples))
    #expect(deck.events.compactMap(\.failedItem).isEmpty)
  }

  @Test func `one that somebody writes to after a question begins with its first frame`()
    async throws
  {
    let items = [PlaybackItem(source: .buffers([staircase(2_000, from: 9_000)])), item]
    let playing = await deck.start(PlaybackRequest(items: items, id: "a"))
    await deck.pass(4)
    try await deck.player.control(id: "a", command: .enqueue([other]))
    let writer = try pipe.open()
    try writer.write(contentsOf: pipe.bytes(6_000))
    try writer.close()
    await deck.pass { $0.advanced?.item == 1 }
    try await deck.finish(playing)
    let whole = staircase(6_000).samples + staircase(3_000, from: 9_000).samples
    #expect(deck.hasPlayed(whole))
  }

  @Test func `it cannot be repeated`() async throws {
    let once = AudioPlayerError.streamCannotRepeat
    for request in [
      PlaybackRequest(source: .file(pipe.url), repetition: .forever),
      PlaybackRequest(items: [item], cycle: .times(2)),
    ] {
      let (playing, _) = await deck.begin(request)
      await #expect(throws: once) { try await playing.value }
    }
  }
}
