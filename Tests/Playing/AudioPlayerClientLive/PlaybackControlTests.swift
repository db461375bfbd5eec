import AudioCore
import AudioPlayerClient
import TestTools
import Testing

/// Pause, resume, seek, volume, and stop of one playback.
///
/// The virtual card's time passes only while a test waits.
@Suite(.fewAtATime, .timeLimit(.minutes(5))) struct PlaybackControlTests {
  let harness = PlayerHarness()
  let stairs = staircase(16_000)
  /// The largest step of a 10 ms fade: no sample is above 0.5, and the fade has 80 frames.
  let fade: Float = 0.5 / 80

  @Test func `resume continues at exactly the frame that pause reported`() async throws {
    let request = PlaybackRequest(source: .buffers([stairs]), id: "a")
    let playing = await harness.start(request)
    await harness.pass(7)
    try await harness.send("a", .pause())
    await harness.pass { $0.paused != nil }
    await harness.pass(20)
    try await harness.send("a", .resume())
    try await harness.finish(playing)
    let place = try #require(harness.events.compactMap(\.paused).first)
    let position = place.position.rawValue
    #expect(place.played == place.position.duration(at: 8_000))
    #expect(harness.events.compactMap(\.resumed).map(\.position) == [place.position])
    // The samples before the fade-out, and those after the fade-in, which begins at the reported
    // frame.
    let before = try #require(harness.played.range(of: Array(stairs.samples[..<(position - 80)])))
    let after = try #require(harness.played.range(of: Array(stairs.samples[(position + 79)...])))
    let silence = harness.played[(before.upperBound + 80)..<(after.lowerBound - 79)]
    #expect(silence.count >= 20 * 200 && silence.allSatisfy { $0 == 0 })
    #expect(largestStep(harness.played) <= 0.5)
    #expect(largestStep(Array(harness.played[before.upperBound..<after.lowerBound])) < 0.5)
    let middle = Array(harness.played[(before.upperBound - 1)...after.lowerBound])
    #expect(zip(middle.dropFirst(), middle).allSatisfy { abs($0 - $1) <= fade + 1e-4 })
    #expect(harness.events.last?.finish?.played == .seconds(2))
  }

  @Test func `seek moves to a frame without a click and plays every frame after it`()
    async throws
  {
    let playing = await harness.start(PlaybackRequest(source: .buffers([stairs]), id: "a"))
    await harness.pass(8)
    try await harness.send("a", .seek(to: .frame(9_000)))
    try await harness.finish(playing)
    let target = try #require(harness.played.range(of: Array(stairs.samples[9_079...])))
    let place = try #require(harness.events.compactMap(\.sought).first)
    #expect(place.position == 9_000 && place.time == .milliseconds(1_125) && place.item == 0)
    #expect(place.length == .seconds(2))
    // The fade-in begins at the target's first frame, which is played at 1/80 of its amplitude.
    #expect(abs(harness.played[target.lowerBound - 79] - stairs.samples[9_000] / 80) < 1e-6)
    #expect(largestStep(Array(harness.played[..<target.upperBound])) <= fade + 1e-4)
    #expect(harness.events.last?.finish?.reason == .completed)
    let positions = harness.events.compactMap(\.progress).map(\.position.rawValue)
    #expect(positions.last == 16_000)
  }

  @Test func `seek during a pause is silent and reported at once`() async throws {
    let playing = await harness.start(PlaybackRequest(source: .buffers([stairs]), id: "a"))
    await harness.pass(5)
    try await harness.send("a", .pause())
    await harness.pass { $0.paused != nil }
    let silentFrom = harness.played.count
    for target in [12_000, 3_000, 14_000] {
      try await harness.send("a", .seek(to: .frame(FrameCount(target))))
      await harness.pass { $0.sought?.position.rawValue == target }
    }
    #expect(harness.played[silentFrom...].allSatisfy { $0 == 0 })
    try await harness.send("a", .resume())
    try await harness.finish(playing)
    let rest = harness.played[silentFrom...].drop { $0 == 0 }
    #expect(rest.dropFirst(80).prefix(1_920).elementsEqual(stairs.samples[14_080...]))
    #expect(harness.events.compactMap(\.resumed).map(\.position) == [14_000])
  }

  @Test(arguments: [-5_000, 0, 15_999, 16_000, 1_000_000])
  func `a seek outside the source goes to its start or end`(frame: Int) async throws {
    let playing = await harness.start(PlaybackRequest(source: .buffers([stairs]), id: "a"))
    await harness.pass(4)
    try await harness.send("a", .pause())
    try await harness.send("a", .seek(to: .frame(FrameCount(frame))))
    await harness.pass { $0.sought != nil }
    let place = harness.events.compactMap(\.sought).first
    #expect(place?.position.rawValue == min(max(0, frame), 16_000))
    _ = Task { try await harness.player.control(id: "a", command: .resume()) }
    try await harness.finish(playing)
    #expect(harness.events.last?.finish?.reason == .completed)
    #expect(harness.openDeviceCount == 0)
  }

  @Test func `a seek is possible even after the source has been decoded to its end`() async throws {
    // The whole sound fits into the ring of 8,000 frames, so it is decoded to its end at once.
    let short = staircase(7_000)
    let playing = await harness.start(PlaybackRequest(source: .buffers([short]), id: "a"))
    await harness.pass(2)
    try await harness.send("a", .seek(to: .frame(10)))
    try await harness.finish(playing)
    #expect(harness.played.range(of: Array(short.samples[90...])) != nil)
  }

  @Test func `a volume command changes the gain in equal steps`() async throws {
    let level = AudioBuffer(
      format: PlayerHarness.format, samples: .init(repeating: 0.5, count: 16_000))
    let playing = await harness.start(PlaybackRequest(source: .buffers([level]), id: "a"))
    await harness.pass(5)
    try await harness.send("a", .setVolume(0.5, ramp: .milliseconds(100)))
    await harness.pass(4)
    try await harness.send("a", .setVolume(0, ramp: .zero))
    await harness.pass(4)
    try await harness.send("a", .setVolume(2))
    try await harness.finish(playing)
    let steps = zip(harness.played.dropFirst(), harness.played).map { abs($0 - $1) }
    let ramp = try #require(harness.played.firstIndex { $0 < 0.5 })
    #expect(steps[ramp - 1..<ramp + 799].allSatisfy { abs($0 - 0.25 / 800) < 5e-5 })
    #expect(harness.played[ramp + 799] == 0.25)
    #expect(harness.played.contains(0))
    // The volume of 2 doubles the samples of 0.5.
    #expect(harness.played.dropLast(400).last == 1)
  }

  @Test func `a pause at the start and a seek to the first frame lose no frame`()
    async throws
  {
    let playing = await harness.start(PlaybackRequest(source: .buffers([stairs]), id: "a"))
    try await harness.send("a", .pause())
    try await harness.send("a", .seek(to: .frame(0)))
    await harness.pass(10)
    try await harness.send("a", .resume(fade: .zero))
    try await harness.finish(playing)
    #expect(harness.played.range(of: Array(stairs.samples[1...])) != nil)
  }

  @Test(arguments: [0, 10, 500, 3_000]) func `stop fades for the requested duration`(
    milliseconds: Int
  )
    async throws
  {
    let level = AudioBuffer(
      format: PlayerHarness.format, samples: .init(repeating: 0.5, count: 1_000))
    let stream = AsyncThrowingStream<AudioBuffer, any Error> { level }
    let playing = await harness.start(PlaybackRequest(source: .stream(stream), id: "a"))
    await harness.pass(4)
    try await harness.send("a", .stop(fade: .milliseconds(milliseconds)))
    try await harness.finish(playing)
    #expect(harness.events.last?.finish?.reason == .stopped)
    let fall = harness.played.filter { $0 > 0 && $0 < 0.5 }
    #expect(fall.count == max(0, milliseconds * 8 - 1))
    #expect(zip(fall.dropFirst(), fall).allSatisfy { $0 < $1 })
    #expect(harness.openDeviceCount == 0)
  }

  @Test func `a fade is shortened to the rest of its sound`() async throws {
    let level = AudioBuffer(
      format: PlayerHarness.format, samples: .init(repeating: 0.5, count: 16_000))
    let playing = await harness.start(PlaybackRequest(source: .buffers([level]), id: "a"))
    await harness.pass(8)
    try await harness.send("a", .stop(fade: .seconds(10)))
    try await harness.finish(playing)
    #expect(harness.events.last?.finish?.reason == .stopped)
    #expect(harness.events.last?.finish?.played == .seconds(2))
    #expect(largestStep(Array(harness.played[1...])) < 0.01)
  }

  @Test func `stopping a paused playback reports no resumption`() async throws {
    let playing = await harness.start(PlaybackRequest(source: .buffers([stairs]), id: "a"))
    await harness.pass(4)
    try await harness.send("a", .pause())
    await harness.pass { $0.paused != nil }
    try await harness.send("a", .stop())
    try await harness.finish(playing)
    #expect(harness.events.compactMap(\.resumed).isEmpty)
    #expect(harness.events.compactMap(\.paused).count == 1)
    #expect(harness.events.last?.finish?.reason == .stopped)
  }

  @Test func `a playback that has ended accepts no command but stop`() async throws {
    let player = harness.player
    try await player.control(id: "nobody", command: .stop())
    for command in [PlaybackCommand.pause(), .resume(), .seek(to: .frame(0)), .skip] {
      await #expect(throws: AudioPlayerError.unknownPlayback("nobody")) {
        try await player.control(id: "nobody", command: command)
      }
    }
    let playing = await harness.start(PlaybackRequest(source: .buffers([stairs]), id: "a"))
    let second = PlaybackRequest(source: .buffers([stairs]), id: "a")
    await #expect(throws: AudioPlayerError.idInUse("a")) {
      for try await _ in await player.playback(request: second) {}
    }
    try await harness.finish(playing)
    await #expect(throws: AudioPlayerError.unknownPlayback("a")) {
      try await player.control(id: "a", command: .pause())
    }
  }

  @Test func `a waiting command returns when the playback ends or its task is canceled`()
    async throws
  {
    let playing = await harness.start(PlaybackRequest(source: .buffers([stairs]), id: "a"))
    await harness.pass(4)
    // The command waits, because its fade cannot end while the virtual card's time stands still.
    let pause = PlaybackCommand.pause(fade: .seconds(1))
    let cancelled = Task { try await harness.player.control(id: "a", command: pause) }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    try await harness.send("a", .pause())
    playing.cancel()
    async let ramped: Void? = try? harness.player.control(
      id: "a", command: .setVolume(0, ramp: .seconds(60)))
    try await harness.finish(playing)
    await ramped
    #expect(harness.openDeviceCount == 0)
  }
}
