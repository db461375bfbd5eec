import AudioCore
import AudioPlayerClient
import AudioThreads
import Foundation
import TestTools
import Testing

@testable import AudioPlayerClientLive

/// Commands before a queue's first frame, at its end, and to items outside the queue.
@Suite(.fewAtATime, .timeLimit(.minutes(5))) struct QueueEdgesTests {
  let harness = PlayerHarness()
  let missing = PlaybackItem(source: .file(URL(fileURLWithPath: "/nowhere.wav")))

  private func item(_ buffers: AudioBuffer...) -> PlaybackItem {
    PlaybackItem(source: .buffers(buffers))
  }

  @Test func `the error of an item is thrown even if a command arrives as the playback ends`()
    async throws
  {
    let request = PlaybackRequest(items: [item(staircase(4_000)), missing], id: "a")
    let playing = await harness.start(request)
    while true {
      do { try await harness.send("a", .enqueue([])) } catch { break }
    }
    await #expect(throws: AudioPlayerError.self) { try await harness.finish(playing) }
  }

  @Test func `a skip before the first frame completes the playback with nothing played`()
    async throws
  {
    let (given, asked, released) = (RingBuffer<Int>(capacity: 1), Gate(), Gate())
    let stream = AsyncThrowingStream<AudioBuffer, any Error> {
      if given.tryWrite(1) { return staircase(1_000) }
      asked.open()
      await released.wait()
      return nil
    }
    // The whole buffer is held back for the fade-out, so no frame is played before the skip.
    let request = PlaybackRequest(source: .stream(stream), id: "a", fadeOut: .seconds(10))
    let starting = Task { await harness.start(request) }
    await asked.wait()
    try await harness.player.control(id: "a", command: .skip)
    try await harness.finish(await starting.value)
    #expect(
      harness.events.last == .finished(PlaybackFinish(reason: .completed, played: .zero)))
    released.open()
  }

  @Test func `a seek to an item outside the queue goes to its start or end`() async throws {
    let request = PlaybackRequest(items: [item(staircase(9_000))], id: "a")
    let playing = await harness.start(request)
    await harness.pass(2)
    try await harness.send("a", .pause())
    try await harness.send("a", .seek(to: .frame(7), item: .min))
    await harness.pass { $0.sought != nil }
    #expect(harness.events.compactMap(\.sought).map(\.position) == [0])
    try await harness.send("a", .seek(to: .frame(0), item: .max))
    try await harness.send("a", .skip)
    try await harness.send("a", .enqueue([item(staircase(1_000, from: 20_000))]))
    try await harness.send("a", .resume())
    try await harness.finish(playing)
    #expect(harness.played.range(of: staircase(920, from: 20_080).samples) != nil)
  }

  @Test func `after the last item, a seek without an item index stays in the last item`()
    async throws
  {
    let items = [item(staircase(9_000)), item(staircase(9_000, from: 9_000))]
    let playing = await harness.start(PlaybackRequest(items: items, id: "a"))
    await harness.pass(2)
    try await harness.send("a", .pause())
    for _ in 0..<3 { try await harness.send("a", .skip) }
    try await harness.send("a", .seek(to: .frame(1_000)))
    await harness.pass { $0.sought != nil }
    try await harness.send("a", .resume())
    try await harness.finish(playing)
    #expect(harness.events.compactMap(\.sought).map(\.item) == [1])
    #expect(harness.played.range(of: staircase(7_920, from: 10_080).samples) != nil)
  }

  @Test func `an item that cannot be converted fails, and the other items are played`() async throws
  {
    let tooSlow = AudioBuffer(
      silence: 10, format: AudioFormat(sampleRate: 30, channelCount: 1))
    let slow = AudioBuffer(
      format: AudioFormat(sampleRate: 4_000, channelCount: 1),
      samples: .init(repeating: 0.5, count: 2_000))
    let request = PlaybackRequest(
      items: [item(staircase(800)), item(slow, tooSlow), item(staircase(1_000))])
    let playing = await harness.start(request)
    await #expect(throws: AudioPlayerError.self) { try await harness.finish(playing) }
    #expect(harness.events.compactMap(\.failedItem) == [1])
    #expect(harness.played.prefix(800).elementsEqual(staircase(800).samples))
    #expect(harness.played.range(of: staircase(1_000).samples) == 4_800..<5_800)
  }

  @Test func `a fade-out of more than a minute is refused`() async throws {
    func request(_ seconds: Int) -> PlaybackRequest {
      PlaybackRequest(items: [item(staircase(800))], fadeOut: .seconds(seconds))
    }
    try await harness.finish(await harness.start(request(60)))
    await #expect(throws: AudioPlayerError.fadeOutTooLong(limit: .seconds(60))) {
      try await harness.finish(await harness.start(request(61)))
    }
  }
}
