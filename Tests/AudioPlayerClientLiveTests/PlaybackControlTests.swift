import AudioCore
import AudioPlayerClient
import Testing

/// Pause, resume, seek, volume and stop of one playback, on a card whose time stands still unless a
/// test waits.
@Suite(.timeLimit(.minutes(1))) struct PlaybackControlTests {
  let deck = Deck()
  let stairs = staircase(16_000)
  /// A fade of 10 ms is 80 frames, and no sample is above a half.
  let fade: Float = 0.5 / 80

  @Test func `a pause is silence, and resume goes on at the very frame that it told`() async throws
  {
    let request = PlaybackRequest(source: .buffers([stairs]), id: "a")
    let playing = await deck.start(request)
    await deck.pass(7)
    try await deck.tell("a", .pause())
    await deck.pass { $0.paused != nil }
    await deck.pass(20)
    try await deck.tell("a", .resume())
    try await deck.finish(playing)
    let place = try #require(deck.events.compactMap(\.paused).first)
    let position = place.position.rawValue
    #expect(place.heard == place.position.duration(at: 8_000))
    #expect(deck.events.compactMap(\.resumed).map(\.position) == [place.position])
    // Before the fade, and after the one that follows at the frame that was told.
    let before = try #require(deck.played.range(of: Array(stairs.samples[..<(position - 80)])))
    let after = try #require(deck.played.range(of: Array(stairs.samples[(position + 79)...])))
    let silence = deck.played[(before.upperBound + 80)..<(after.lowerBound - 79)]
    #expect(silence.count >= 20 * 200 && silence.allSatisfy { $0 == 0 })
    #expect(largestStep(deck.played) <= 0.5)
    #expect(largestStep(Array(deck.played[before.upperBound..<after.lowerBound])) < 0.5)
    let middle = Array(deck.played[(before.upperBound - 1)...after.lowerBound])
    #expect(zip(middle.dropFirst(), middle).allSatisfy { abs($0 - $1) <= fade + 1e-4 })
    #expect(deck.events.last?.finish?.heard == .seconds(2))
  }

  @Test func `seek goes to the frame without a click, and every frame from there on is heard`()
    async throws
  {
    let playing = await deck.start(PlaybackRequest(source: .buffers([stairs]), id: "a"))
    await deck.pass(8)
    try await deck.tell("a", .seek(to: .frame(9_000)))
    try await deck.finish(playing)
    let target = try #require(deck.played.range(of: Array(stairs.samples[9_079...])))
    let place = try #require(deck.events.compactMap(\.sought).first)
    #expect(place.position == 9_000 && place.time == .milliseconds(1_125) && place.item == 0)
    #expect(place.length == .seconds(2))
    // The first frame of the target is the first of the fade in: 1/80 of its height.
    #expect(abs(deck.played[target.lowerBound - 79] - stairs.samples[9_000] / 80) < 1e-6)
    #expect(largestStep(Array(deck.played[..<target.upperBound])) <= fade + 1e-4)
    #expect(deck.events.last?.finish?.reason == .completed)
    let positions = deck.events.compactMap(\.progress).map(\.position.rawValue)
    #expect(positions.last == 16_000)
  }

  @Test func `seek while it is paused makes no sound and is told at once`() async throws {
    let playing = await deck.start(PlaybackRequest(source: .buffers([stairs]), id: "a"))
    await deck.pass(5)
    try await deck.tell("a", .pause())
    await deck.pass { $0.paused != nil }
    let silentFrom = deck.played.count
    for target in [12_000, 3_000, 14_000] {
      try await deck.tell("a", .seek(to: .frame(FrameCount(target))))
      await deck.pass { $0.sought?.position.rawValue == target }
    }
    #expect(deck.played[silentFrom...].allSatisfy { $0 == 0 })
    try await deck.tell("a", .resume())
    try await deck.finish(playing)
    let rest = deck.played[silentFrom...].drop { $0 == 0 }
    #expect(rest.dropFirst(80).prefix(1_920).elementsEqual(stairs.samples[14_080...]))
    #expect(deck.events.compactMap(\.resumed).map(\.position) == [14_000])
  }

  @Test(arguments: [-5_000, 0, 15_999, 16_000, 1_000_000])
  func `a frame outside the source is its beginning or its end`(frame: Int) async throws {
    let playing = await deck.start(PlaybackRequest(source: .buffers([stairs]), id: "a"))
    await deck.pass(4)
    try await deck.tell("a", .pause())
    try await deck.tell("a", .seek(to: .frame(FrameCount(frame))))
    await deck.pass { $0.sought != nil }
    let place = deck.events.compactMap(\.sought).first
    #expect(place?.position.rawValue == min(max(0, frame), 16_000))
    _ = Task { try await deck.player.control(id: "a", command: .resume()) }
    try await deck.finish(playing)
    #expect(deck.events.last?.finish?.reason == .completed)
    #expect(deck.openDeviceCount == 0)
  }

  @Test func `a source that has been decoded to its end can still be sought in`() async throws {
    // The ring holds 8,000 frames.
    let short = staircase(7_000)
    let playing = await deck.start(PlaybackRequest(source: .buffers([short]), id: "a"))
    await deck.pass(2)
    try await deck.tell("a", .seek(to: .frame(10)))
    try await deck.finish(playing)
    #expect(deck.played.range(of: Array(short.samples[90...])) != nil)
  }

  @Test func `the volume moves in even steps to where it is told`() async throws {
    let level = AudioBuffer(format: Deck.format, samples: .init(repeating: 0.5, count: 16_000))
    let playing = await deck.start(PlaybackRequest(source: .buffers([level]), id: "a"))
    await deck.pass(5)
    try await deck.tell("a", .setVolume(0.5, ramp: .milliseconds(100)))
    await deck.pass(4)
    try await deck.tell("a", .setVolume(0, ramp: .zero))
    await deck.pass(4)
    try await deck.tell("a", .setVolume(2))
    try await deck.finish(playing)
    let steps = zip(deck.played.dropFirst(), deck.played).map { abs($0 - $1) }
    let ramp = try #require(deck.played.firstIndex { $0 < 0.5 })
    #expect(steps[ramp - 1..<ramp + 799].allSatisfy { abs($0 - 0.25 / 800) < 5e-5 })
    #expect(deck.played[ramp + 799] == 0.25)
    #expect(deck.played.contains(0))
    #expect(deck.played.dropLast(400).last == 0.5)
  }

  @Test func `a pause at once, and back to the first frame, and nothing of it is lost`()
    async throws
  {
    let playing = await deck.start(PlaybackRequest(source: .buffers([stairs]), id: "a"))
    try await deck.tell("a", .pause())
    try await deck.tell("a", .seek(to: .frame(0)))
    await deck.pass(10)
    try await deck.tell("a", .resume(fade: .zero))
    try await deck.finish(playing)
    #expect(deck.played.range(of: Array(stairs.samples[1...])) != nil)
  }

  @Test(arguments: [0, 10, 500, 3_000]) func `stop fades as long as it is told`(milliseconds: Int)
    async throws
  {
    let level = AudioBuffer(format: Deck.format, samples: .init(repeating: 0.5, count: 1_000))
    let stream = AsyncThrowingStream<AudioBuffer, any Error> { level }
    let playing = await deck.start(PlaybackRequest(source: .stream(stream), id: "a"))
    await deck.pass(4)
    try await deck.tell("a", .stop(fade: .milliseconds(milliseconds)))
    try await deck.finish(playing)
    #expect(deck.events.last?.finish?.reason == .stopped)
    let fall = deck.played.filter { $0 > 0 && $0 < 0.5 }
    #expect(fall.count == max(0, milliseconds * 8 - 1))
    #expect(zip(fall.dropFirst(), fall).allSatisfy { $0 < $1 })
    #expect(deck.openDeviceCount == 0)
  }

  @Test func `a fade that the sound ends in is as long as what is left of it`() async throws {
    let level = AudioBuffer(format: Deck.format, samples: .init(repeating: 0.5, count: 16_000))
    let playing = await deck.start(PlaybackRequest(source: .buffers([level]), id: "a"))
    await deck.pass(8)
    try await deck.tell("a", .stop(fade: .seconds(10)))
    try await deck.finish(playing)
    #expect(deck.events.last?.finish?.reason == .stopped)
    #expect(deck.events.last?.finish?.heard == .seconds(2))
    #expect(largestStep(Array(deck.played[1...])) < 0.01)
  }

  @Test func `a pause that ends with a stop is not told to be resumed`() async throws {
    let playing = await deck.start(PlaybackRequest(source: .buffers([stairs]), id: "a"))
    await deck.pass(4)
    try await deck.tell("a", .pause())
    await deck.pass { $0.paused != nil }
    try await deck.tell("a", .stop())
    try await deck.finish(playing)
    #expect(deck.events.compactMap(\.resumed).isEmpty)
    #expect(deck.events.compactMap(\.paused).count == 1)
    #expect(deck.events.last?.finish?.reason == .stopped)
  }

  @Test func `a playback that does not sound cannot be told anything but to stop`() async throws {
    let player = deck.player
    try await player.control(id: "nobody", command: .stop())
    for command in [PlaybackCommand.pause(), .resume(), .seek(to: .frame(0)), .skip] {
      await #expect(throws: AudioPlayerError.unknownPlayback("nobody")) {
        try await player.control(id: "nobody", command: command)
      }
    }
    let playing = await deck.start(PlaybackRequest(source: .buffers([stairs]), id: "a"))
    let second = PlaybackRequest(source: .buffers([stairs]), id: "a")
    await #expect(throws: AudioPlayerError.idInUse("a")) {
      for try await _ in await player.playback(request: second) {}
    }
    try await deck.finish(playing)
    await #expect(throws: AudioPlayerError.unknownPlayback("a")) {
      try await player.control(id: "a", command: .pause())
    }
  }

  @Test func `who waits for a command is let go when the playback ends or the task is cancelled`()
    async throws
  {
    let playing = await deck.start(PlaybackRequest(source: .buffers([stairs]), id: "a"))
    await deck.pass(4)
    // A card whose time stands still does not come to the end of such a fade.
    let pause = PlaybackCommand.pause(fade: .seconds(1))
    let cancelled = Task { try await deck.player.control(id: "a", command: pause) }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    try await deck.tell("a", .pause())
    playing.cancel()
    async let ramped: Void? = try? deck.player.control(
      id: "a", command: .setVolume(0, ramp: .seconds(60)))
    try await deck.finish(playing)
    await ramped
    #expect(deck.openDeviceCount == 0)
  }
}
