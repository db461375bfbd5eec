import AudioCore
import AudioPlayerClient
import AudioThreads
import Foundation
import SoundFile
import TestTools
import Testing
import VirtualSoundCard

/// Several items with ranges and repetitions, sample by sample.
@Suite(.fewAtATime, .timeLimit(.minutes(5))) struct QueueTests {
  let harness = PlayerHarness()

  private func item(
    _ buffer: AudioBuffer, _ range: PlaybackRange = PlaybackRange(), times: Int = 1
  ) -> PlaybackItem {
    PlaybackItem(source: .buffers([buffer]), range: range, repetition: .times(times))
  }

  private func range(_ start: Int, _ end: Int) -> PlaybackRange {
    PlaybackRange(start: .frame(FrameCount(start)), end: .frame(FrameCount(end)))
  }

  @Test func `items join without a missing or a doubled sample, and each item is reported`()
    async throws
  {
    let playing = await harness.start(
      PlaybackRequest(items: [
        item(staircase(3_001)), item(staircase(1, from: 3_001)),
        item(staircase(5_000, from: 3_002)),
      ]))
    try await harness.finish(playing)
    let whole = staircase(8_002).samples
    #expect(harness.played.prefix(8_002).elementsEqual(whole))
    #expect(harness.played.dropFirst(8_002).allSatisfy { $0 == 0 })
    #expect(
      harness.events.compactMap(\.advanced) == [
        PlaybackProgress(
          played: FrameCount(3_001).duration(at: 8_000), item: 1, length: .microseconds(125)),
        PlaybackProgress(
          played: FrameCount(3_002).duration(at: 8_000), item: 2, length: .milliseconds(625)),
      ])
  }

  @Test func `the repetitions of a range follow each other without a missing or doubled sample`()
    async throws
  {
    let request = PlaybackRequest(
      source: .buffers([staircase(4_000), staircase(4_000, from: 4_000)]), repetition: .times(3),
      range: range(3_500, 5_001))
    try await harness.finish(await harness.start(request))
    let once = staircase(1_501, from: 3_500).samples
    #expect(harness.played.prefix(4_503).elementsEqual(once + once + once))
    #expect(harness.played.dropFirst(4_503).allSatisfy { $0 == 0 })
    #expect(harness.events.compactMap(\.loopCount) == [1, 2])
    #expect(harness.events.compactMap(\.progress).last?.position == 5_001)
  }

  @Test(arguments: ["wav", "flac", "ogg", "opus", "mp3"])
  func `a looped range of a file repeats without a missing or doubled sample`(
    format: String
  ) async throws {
    let sound = AudioSignal.chirp(from: 100, to: 9_000, over: .seconds(1)).buffer(
      40_000, format: AudioFormat(sampleRate: 48_000, channelCount: 1))
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("syrinx-\(UUID().uuidString).\(format)")
    defer { try? FileManager.default.removeItem(at: file) }
    let writer = try SoundFileWriter(
      url: file, format: sound.format, encoding: .init(pathExtension: format))
    try writer.write(sound)
    try writer.close()
    let stored = try SoundFileReader(url: file).read(atMost: 50_000).samples
    for (start, end) in [(0, stored.count), (11_234, 29_876)] {
      let harness = PlayerHarness()
      let request = PlaybackRequest(
        source: .file(file), repetition: .times(2), range: range(start, end))
      try await harness.finish(await harness.start(request))
      let once = Array(stored[start..<end])
      let errors = zip(harness.played, once + once).map { abs($0 - $1) }
      #expect(errors.max() ?? 1 <= (["wav", "flac"].contains(format) ? 0 : 1e-4))
      #expect(harness.played.dropFirst(2 * once.count).allSatisfy { $0 == 0 })
    }
  }

  @Test
  func `loops shorter than 50 ms are reported at most 20 times a second, with exact positions`()
    async throws
  {
    let request = PlaybackRequest(
      source: .buffers([staircase(100)]), repetition: .times(160), range: range(10, 60), id: "a")
    try await harness.finish(await harness.start(request))
    #expect(
      harness.played.prefix(8_000).elementsEqual(
        (0..<8_000).map {
          staircase(100).samples[10 + $0 % 50]
        }))
    #expect(harness.events.compactMap(\.loopCount).count <= 20)
    let positions = harness.events.compactMap(\.progress).map(\.position.rawValue)
    #expect(positions.allSatisfy { (10...60).contains($0) })
  }

  @Test func `a sine split into files of any format is played without a phase jump`()
    async throws
  {
    let formats = [
      AudioFormat(sampleRate: 48_000, channelCount: 2),
      AudioFormat(sampleRate: 44_100, channelCount: 1),
      AudioFormat(sampleRate: 48_000, channelCount: 1),
    ]
    let harness = PlayerHarness(sampleRate: 48_000)
    var items: [PlaybackItem] = []
    for (index, format) in formats.enumerated() {
      // All pieces have the same duration, so that each begins at the phase where the previous one
      // ended.
      let count = FrameCount(.milliseconds(510), at: format.sampleRate)
      let piece = AudioSignal.sine(441).buffer(
        count, format: format, firstFrame: FrameCount(index * count.rawValue))
      items.append(PlaybackItem(source: .file(try temporaryWAV(piece))))
    }
    try await harness.finish(await harness.start(PlaybackRequest(items: items)))
    let played = try #require(harness.card.played.first)
    let reference = AudioSignal.sine(441).buffer(.milliseconds(1_530), format: played.format)
    let errors = zip(played.samples, reference.samples).map { abs($0 - $1) }
    #expect(errors.allSatisfy { $0 < 3e-3 })
    #expect(errors.prefix(47_000).allSatisfy { $0 < 1e-6 })
  }

  @Test func `a sine split into files of one format is resampled like a single sound`() async throws
  {
    let format = AudioFormat(sampleRate: 44_100, channelCount: 1)
    let harness = PlayerHarness(sampleRate: 48_000)
    let sine = AudioSignal.sine(441)
    let lengths = [10_007, 22_050, 12_043]
    var items: [PlaybackItem] = []
    var first = 0
    for length in lengths {
      let piece = sine.buffer(FrameCount(length), format: format, firstFrame: FrameCount(first))
      items.append(PlaybackItem(source: .file(try temporaryWAV(piece))))
      first += length
    }
    try await harness.finish(await harness.start(PlaybackRequest(items: items)))
    let reference = sine.buffer(
      .seconds(1), format: AudioFormat(sampleRate: 48_000, channelCount: 1))
    let errors = zip(harness.played, reference.samples).map { abs($0 - $1) }
    #expect(errors[500..<47_500].allSatisfy { $0 < 1e-4 })
    #expect(harness.events.compactMap(\.advanced).map(\.item) == [1, 2])
  }

  @Test
  func `an item that cannot be played is reported in its place, and the other items are played`()
    async throws
  {
    let missing = PlaybackItem(source: .file(URL(fileURLWithPath: "/nowhere.wav")))
    let empty = PlaybackItem(source: .buffers([]))
    let request = PlaybackRequest(
      items: [missing, item(staircase(1_000)), empty, item(staircase(1_000, from: 1_000))])
    let playing = await harness.start(request)
    await #expect(throws: AudioPlayerError.self) { try await harness.finish(playing) }
    #expect(harness.played.prefix(2_000).elementsEqual(staircase(2_000).samples))
    let told = harness.events.compactMap { $0.failedItem ?? $0.advanced?.item }
    #expect(told == [0, 2, 3])
    #expect(harness.openDeviceCount == 0)
  }

  @Test
  func `skip moves to the next item, even twice in a row, and after the last item to the end`()
    async throws
  {
    let levels: [Float] = [0.1, 0.2, 0.3, 0.4]
    let items = levels.map { level in
      item(
        AudioBuffer(format: PlayerHarness.format, samples: .init(repeating: level, count: 40_000)))
    }
    let playing = await harness.start(PlaybackRequest(items: items, id: "a"))
    await harness.pass(4)
    try await harness.send("a", .skip)
    try await harness.send("a", .skip)
    try await harness.send("a", .skip)
    await harness.pass(8)
    try await harness.send("a", .skip)
    try await harness.finish(playing)
    #expect(harness.events.compactMap(\.advanced).map(\.item) == [1, 2, 3])
    #expect(harness.events.last?.finish?.reason == .completed)
    #expect(largestStep(harness.played) <= 0.1 + 1e-6)
    #expect(harness.played.count < 40_000)
  }

  @Test func `every skip is performed, even before the next item is open`() async throws {
    let items = (0..<5).map { item(staircase(40_000, from: $0 * 100)) }
    let playing = await harness.start(PlaybackRequest(items: items, id: "a"))
    await harness.pass(4)
    let skips = (0..<3).map { _ in
      Task { [harness] in try await harness.player.control(id: "a", command: .skip) }
    }
    await harness.pass { $0.advanced?.item == 3 }
    for skip in skips { try await skip.value }
    playing.cancel()
    try? await harness.finish(playing)
    #expect(harness.openDeviceCount == 0)
  }

  @Test func `an enqueued item follows without a gap, even after everything has been decoded`()
    async throws
  {
    let playing = await harness.start(
      PlaybackRequest(items: [item(staircase(6_000))], id: "a"))
    await harness.pass(2)
    try await harness.send("a", .enqueue([item(staircase(6_000, from: 6_000))]))
    await harness.pass(1)
    try await harness.send(
      "a", .enqueue([item(staircase(6_000, from: 12_000)), item(staircase(1))]))
    try await harness.finish(playing)
    #expect(harness.played.prefix(18_001).elementsEqual(staircase(18_000).samples + [0.25]))
    #expect(harness.events.compactMap(\.advanced).map(\.item) == [1, 2, 3])
    await #expect(throws: AudioPlayerError.unknownPlayback("a")) {
      try await harness.player.control(id: "a", command: .enqueue([item(staircase(1))]))
    }
  }

  @Test func `seek reaches the other items of a queue`() async throws {
    let playing = await harness.start(
      PlaybackRequest(
        items: [item(staircase(9_000)), item(staircase(20_000, from: 20_000))], id: "a"))
    await harness.pass(4)
    try await harness.send("a", .seek(to: .time(.seconds(1)), item: 1))
    await harness.pass { $0.sought?.item == 1 }
    try await harness.send("a", .seek(to: .frame(8_000), item: 0))
    try await harness.finish(playing)
    #expect(harness.events.compactMap(\.sought).map(\.item) == [1, 0])
    #expect(harness.events.compactMap(\.sought).map(\.position) == [8_000, 8_000])
    let end = staircase(920, from: 8_080).samples + staircase(20_000, from: 20_000).samples
    #expect(harness.played.range(of: end) != nil)
  }

  @Test func `a stream can seek forward but not back`() async throws {
    let (stream, continuation) = AsyncThrowingStream<AudioBuffer, any Error>.makeStream()
    for index in 0..<45 { continuation.yield(staircase(1_000, from: index * 1_000)) }
    continuation.finish()
    let playing = await harness.start(
      PlaybackRequest(source: .stream(stream), range: .init(start: .frame(500)), id: "a"))
    await harness.pass(4)
    try await harness.send("a", .seek(to: .frame(15_000)))
    await #expect(throws: AudioPlayerError.notSeekable(nil)) {
      try await harness.send("a", .seek(to: .frame(0)))
    }
    try await harness.finish(playing)
    #expect(harness.played.prefix(500).elementsEqual(staircase(500, from: 500).samples))
    #expect(harness.played.range(of: staircase(4_920, from: 15_080).samples) != nil)
    #expect(harness.events.last?.finish?.reason == .completed)
  }

  @Test func `NaN and infinite samples are silenced and reported with their item`() async throws {
    var samples = staircase(4_000).samples
    samples[1_000] = .nan
    samples[3_999] = -.infinity
    let broken = AudioBuffer(format: PlayerHarness.format, samples: samples)
    let playing = await harness.start(
      PlaybackRequest(items: [item(broken), item(staircase(4_000))], id: "a"))
    try await harness.finish(playing)
    samples[1_000] = 0
    samples[3_999] = 0
    #expect(harness.hasPlayed(samples + staircase(4_000).samples))
    let counts = harness.events.prefix { $0.advanced == nil }.map { event in
      if case .nonFinite(let count) = event { count } else { 0 }
    }
    #expect(counts.reduce(0, +) == 2)
    #expect(harness.events.allSatisfy { $0 != .nonFinite(sampleCount: 0) })
  }

  @Test func `a stalled stream can be skipped`() async throws {
    let (stream, continuation) = AsyncThrowingStream<AudioBuffer, any Error>.makeStream()
    continuation.yield(staircase(4_000))
    let gone = Gate()
    continuation.onTermination = { _ in gone.open() }
    let playing = await harness.start(
      PlaybackRequest(
        items: [PlaybackItem(source: .stream(stream)), item(staircase(3_000, from: 9_000))],
        id: "a"))
    await harness.pass(10)
    try await harness.send("a", .skip)
    await gone.wait()
    try await harness.finish(playing)
    #expect(harness.played.range(of: staircase(2_920, from: 9_080).samples) != nil)
  }

  @Test func `any asynchronous sequence of buffers can be played`() async throws {
    let buffers = AsyncStream { continuation in
      continuation.yield(staircase(1_000))
      continuation.yield(staircase(1_000, from: 1_000))
      continuation.finish()
    }
    let playing = await harness.start(PlaybackRequest(source: .sequence(buffers)))
    try await harness.finish(playing)
    #expect(harness.played.prefix(2_000).elementsEqual(staircase(2_000).samples))
  }

  @Test func `a truncated file is reported with its real length`()
    async throws
  {
    let whole = try temporaryWAV(staircase(8_000))
    let bytes = try Data(contentsOf: whole)
    let cut = whole.deletingPathExtension().appendingPathExtension("cut.wav")
    try bytes.prefix(bytes.count - 4 * 6_000).write(to: cut)
    let playing = await harness.start(
      PlaybackRequest(items: [PlaybackItem(source: .file(cut)), item(staircase(100))]))
    try await harness.finish(playing)
    #expect(
      harness.events.contains(
        .shortfall(item: 0, announced: .seconds(1), decoded: .milliseconds(250))))
  }

  @Test func `the first item fades in and the last item fades out`() async throws {
    let level = AudioBuffer(
      format: PlayerHarness.format, samples: .init(repeating: 1, count: 4_000))
    let request = PlaybackRequest(
      items: [item(level), item(level)], fadeIn: .milliseconds(100), fadeOut: .milliseconds(250))
    try await harness.finish(await harness.start(request))
    let rise = (1...800).map { Float($0) / 800 }
    let fall = (0..<2_000).reversed().map { Float($0) / 2_000 }
    let expected = rise + [Float](repeating: 1, count: 8_000 - 2_800) + fall
    #expect(harness.played.prefix(8_000).elementsEqual(expected))
    #expect(harness.played.dropFirst(8_000).allSatisfy { $0 == 0 })
  }
}
