import AudioCore
import AudioPlayerClient
import AudioPlayerClientLive
import ClientDependencies
import SoundCard
import Synchronization
import TestTools
import Testing
import VirtualSoundCard

/// Live streams whose clocks differ from the device's.
@Suite(.fewAtATime, .timeLimit(.minutes(10))) struct ClockFollowingTests {
  private typealias Outcome = (device: TwoClockDevice, events: [PlaybackEvent])

  /// The distance between the source and the loudspeaker at the arrival of a buffer: 150 ms, and
  /// the 240 frames in the resampler.
  private static let distance = 1_440

  /// Plays `seconds` of a tone whose clock is faster than the device's by `difference`.
  ///
  /// `lateness` returns by how many frames a buffer arrives late.
  private func play(
    _ seconds: Int, difference: Double, clock: PlaybackClock = .source,
    milliseconds: Int = 60, early: Int = 4, rate: SampleRate = 8_000, channels: Int = 1,
    serverDelay: Int = 0, prefill: Duration? = nil,
    lateness: @escaping (_ index: Int) -> Double = { _ in 0 }
  ) async throws -> Outcome {
    let length = Double(milliseconds * 8)
    let source = try LiveTone(
      seconds * 1_000 / milliseconds, length: .milliseconds(milliseconds), early: early,
      rate: rate, channels: channels
    ) { index in
      Double(index - early + 1) * length / (1 + difference) + lateness(index)
    }
    let device = try TwoClockDevice(source, channels: channels, serverDelay: serverDelay)
    let events = try await withDependencies {
      $0.soundCard = device.soundCard
    } operation: {
      let request = PlaybackRequest(
        source: .stream(source.stream), prefill: prefill, clock: clock,
        progressInterval: .milliseconds(200))
      return try await AudioPlayerClient.liveValue.playback(request: request)
        .reduce(into: [PlaybackEvent]()) { $0.append($1) }
    }
    return (device, events)
  }

  private func isDropout(_ event: PlaybackEvent) -> Bool {
    switch event {
    case .starved, .xrun: true
    default: false
    }
  }

  /// The silence because of a late source.
  private func silence(_ events: [PlaybackEvent]) -> Duration {
    events.reduce(Duration.zero) { sum, event in
      if case .starved(let duration) = event { sum + duration } else { sum }
    }
  }

  /// Expects `seconds` of a tone without dropouts and jumps, and its positions in order.
  private func expectContinuous(
    _ outcome: Outcome, seconds: Int, difference: Double = 0, from start: Int = 500
  ) {
    let (device, events) = outcome
    // The device does not wait for the news that its source has ended, so its time may run on.
    let last = Duration.seconds(seconds - 1)
    #expect(events.prefix { $0.progress?.time ?? .zero < last }.filter(isDropout) == [])
    #expect(device.underruns == 0)
    // The tone begins and ends abruptly.
    let end = Int(Double(seconds) * 8_000 / (1 + difference)) - 1_000
    #expect(device.jumps.map(\.frame).filter { (start..<end).contains($0) } == [])
    #expect(device.channelDifference == 0)
    let positions = events.compactMap(\.progress).map(\.position)
    #expect(positions == positions.sorted())
  }

  @Test(arguments: [(500e-6, 160.0, 3_600), (-500e-6, 160, 3_600), (50e-6, 0, 600), (0, 0, 600)])
  func `up to an hour of a live stream plays without dropouts at a steady distance from its source`(
    difference: Double, jitter: Double, seconds: Int
  ) async throws {
    var numbers = SeededNumbers(seed: 3)
    let late = (0...60_001).map { _ in Double.random(in: -1...1, using: &numbers) * jitter }
    let outcome = try await play(seconds, difference: difference) { late[$0] }
    expectContinuous(outcome, seconds: seconds, difference: difference)
    let position = outcome.events.compactMap(\.progress).last?.position ?? 0
    #expect(abs(position.rawValue - seconds * 8_000) <= 2, "\(position)")
    // A buffer that is late by `jitter` finds less.
    let levels = outcome.device.levels
    #expect(levels.count > seconds * 16)
    let bounds = (1_090 - Int(jitter))...(1_640 + Int(jitter))
    let isBounded = levels.allSatisfy { bounds.contains($0) }
    #expect(isBounded, "\(levels.min() ?? 0) to \(levels.max() ?? 0)")
    let settled = levels.suffix(levels.count / 2)
    let mean = settled.reduce(0, +) / settled.count
    #expect(abs(mean - Self.distance) <= 50, "\(mean)")
  }

  @Test func `without following, a source that is too slow runs dry`() async throws {
    let (_, events) = try await play(600, difference: -500e-6, clock: .device, early: 2)
    #expect(events.contains(where: isDropout))
  }

  @Test func `stereo at another rate is followed, too`() async throws {
    let outcome = try await play(300, difference: 500e-6, early: 5, rate: 16_000, channels: 2)
    expectContinuous(outcome, seconds: 300, difference: 500e-6)
    let position = outcome.events.compactMap(\.progress).last?.position ?? 0
    #expect(abs(position.rawValue - 300 * 16_000) <= 4, "\(position)")
  }

  @Test func `the delay of a sound server does not count as audio that is left`() async throws {
    let outcome = try await play(300, difference: 0, serverDelay: 1_600)
    expectContinuous(outcome, seconds: 300)
    let levels = outcome.device.levels
    let isBounded = levels.allSatisfy { abs($0 - Self.distance) < 200 }
    #expect(isBounded, "\(levels.min() ?? 0) to \(levels.max() ?? 0)")
  }

  @Test func `a prefill as long as the time between bursts bridges them`() async throws {
    let outcome = try await play(
      300, difference: 500e-6, early: 9, prefill: .milliseconds(300)
    ) { index in
      // Five buffers arrive together.
      Double(4 - index % 5) * 480
    }
    expectContinuous(outcome, seconds: 300, difference: 500e-6)
  }

  @Test func `the longest prefill is kept with long buffers`() async throws {
    let outcome = try await play(
      300, difference: -500e-6, milliseconds: 480, early: 5, prefill: .seconds(1))
    // The first buffers hold more than the prefill, so the stream ends a little sooner.
    expectContinuous(outcome, seconds: 299)
  }

  @Test func `the shortest prefill bridges the jitter of the buffers`() async throws {
    var numbers = SeededNumbers(seed: 5)
    let late = (0...30_001).map { _ in Double.random(in: -1...1, using: &numbers) * 40 }
    let outcome = try await play(
      600, difference: 500e-6, milliseconds: 20, early: 8, prefill: .zero
    ) { late[$0] }
    expectContinuous(outcome, seconds: 600, difference: 500e-6)
  }

  @Test func `a word between two pauses of the source is played before the next word`()
    async throws
  {
    // The buffers from 500 to 504 are the word.
    let outcome = try await play(60, difference: 0, milliseconds: 20, early: 10) { index in
      index < 500 ? 0 : index < 505 ? 8_000 : 24_000
    }
    // All of the word has been played when the next word arrives.
    let all = outcome.device.levels
    let played = all[500 - 10] + 5 * 160 - all[505 - 10]
    #expect((740...800).contains(played), "\(played)")
    let levels = all.dropFirst(520)
    let isRestored = levels.allSatisfy { (1_240...1_800).contains($0) }
    #expect(isRestored, "\(levels.prefix(20))")
  }

  @Test func `after a gap in the source, the distance is the same as before`() async throws {
    let outcome = try await play(60, difference: 0, milliseconds: 20, early: 10) { index in
      index < 500 ? 0 : 8_000
    }
    let (device, events) = outcome
    #expect(events.contains(where: isDropout))
    let silence = silence(events)
    #expect((.milliseconds(940)...(.milliseconds(1_060))).contains(silence), "\(silence)")
    #expect(device.underruns == 0)
    // The first buffers after the gap end the dropout.
    let levels = device.levels.dropFirst(510)
    let isRestored = levels.allSatisfy { (1_240...1_800).contains($0) }
    #expect(isRestored, "\(levels.prefix(20))")
    // The tone fades in once: a fade of 40 frames bends it little.
    let end = 61 * 8_000 - 2_000
    let bends = device.jumps.filter { (500..<end).contains($0.frame) }
    let resumed = bends.filter { $0.frame > (bends.first?.frame ?? 0) + 2_000 }
    #expect(resumed.allSatisfy { $0.size < 0.03 }, "\(resumed)")
    #expect((resumed.last?.frame ?? 0) - (resumed.first?.frame ?? 0) < 60, "\(resumed)")
    let positions = events.compactMap(\.progress).map(\.position)
    #expect(positions == positions.sorted())
  }
}

/// Commands and faults during a live stream; its buffers arrive by the test's clock.
@Suite(.fewAtATime, .timeLimit(.minutes(5))) struct LiveStreamTests {
  /// The longest audio that has not been written, in frames: the prefill, a buffer of the stream and
  /// another, a period, and the 240 frames in the resampler.
  private static let longest = 1_200 + 160 + 160 + 200 + 240

  /// A stream of 20 ms buffers, one every 20 ms, which ends after `limit` buffers.
  ///
  /// `lateness` returns by how many milliseconds a buffer arrives late.
  private func stream(
    _ clock: TestClock<Duration>, limit: Int = .max,
    lateness: @escaping @Sendable (_ index: Int) -> Int = { _ in 0 }
  ) -> PlaybackSource {
    let count = Mutex(0)
    return .stream(
      AsyncThrowingStream {
        let index = count.withLock { count in
          count += 1
          return count
        }
        guard index <= limit else { return nil }
        let time = Duration.milliseconds(20 * index + lateness(index))
        try await clock.sleep(until: ClockInstant(offset: time))
        return staircase(160, from: 160 * (index - 1))
      })
  }

  /// Returns by how many frames the newest written frame is older than the source.
  private func distance(_ harness: PlayerHarness, device: Int = 0) throws -> Int {
    let samples = try #require(harness.card.played.dropFirst(device).first).samples
    let last = try #require(samples.last { $0 != 0 })
    let now = FrameCount(harness.clock.now.offset, at: 8_000).rawValue
    return now - Int((last - 0.25) * 65_536)
  }

  private func start(
    _ request: PlaybackRequest, on harness: PlayerHarness
  ) async -> Task<Void, any Error> {
    let (playing, _) = await harness.begin(request)
    await harness.pass { if case .started = $0 { true } else { false } }
    return playing
  }

  private func stop(_ playing: Task<Void, any Error>, on harness: PlayerHarness) async throws {
    try await harness.clock.pass {
      await harness.player.stop()
      try await playing.value
    }
  }

  @Test(arguments: [Duration.zero, .milliseconds(500)])
  func `after a pause, a stream that sets the pace continues with its newest audio`(
    fadeOut: Duration
  ) async throws {
    let harness = PlayerHarness()
    let longest = Self.longest + FrameCount(fadeOut, at: 8_000).rawValue
    let request = PlaybackRequest(
      source: stream(harness.clock), id: "a", fadeOut: fadeOut, clock: .source)
    let playing = await start(request, on: harness)
    await harness.pass(20)
    #expect(try (0...longest).contains(distance(harness)))
    try await harness.send("a", .pause())
    await harness.pass(80)
    try await harness.send("a", .resume())
    await harness.pass(20)
    #expect(try (0...longest).contains(distance(harness)))
    let places = harness.events.compactMap(\.progress).map(\.position)
    #expect(places == places.sorted())
    let late = FrameCount(harness.clock.now.offset, at: 8_000) - (places.last ?? 0)
    // The device's buffer has been written, and progress is reported every 50 ms.
    #expect(late <= FrameCount(longest + 800 + 400), "\(late)")
    #expect(try late.rawValue >= distance(harness), "\(late)")
    // The audio is not late again after the resumption.
    let count = harness.events.count
    await harness.pass(20)
    #expect(harness.events[count...].allSatisfy { $0.progress != nil })
    try await stop(playing, on: harness)
  }

  @Test func `in a pause, a stream that sets the pace releases its skipped audio`() async throws {
    let harness = PlayerHarness()
    let request = PlaybackRequest(source: stream(harness.clock), id: "a", clock: .source)
    let playing = await start(request, on: harness)
    await harness.pass(20)
    try await harness.send("a", .pause())
    await harness.pass(120)
    // A seek reaches only audio in memory.
    await #expect(throws: AudioPlayerError.notSeekable(nil)) {
      try await harness.send("a", .seek(to: .time(.seconds(2))))
    }
    try await harness.send("a", .resume())
    try await stop(playing, on: harness)
  }

  @Test func `after a seek, a stream that sets the pace plays on`() async throws {
    let harness = PlayerHarness()
    let request = PlaybackRequest(source: stream(harness.clock), id: "a", clock: .source)
    let playing = await start(request, on: harness)
    await harness.pass(20)
    let now = FrameCount(harness.clock.now.offset, at: 8_000)
    try await harness.send("a", .seek(to: .frame(now)))
    await harness.pass(40)
    #expect(try (0...Self.longest).contains(distance(harness)))
    let places = harness.events.compactMap(\.progress).map(\.position)
    #expect(places == places.sorted())
    try await stop(playing, on: harness)
  }

  @Test func `after the loss of the device, a stream that sets the pace is as late as before`()
    async throws
  {
    let harness = PlayerHarness(faults: [.unplugged(at: 4_000, for: .seconds(4))])
    let request = PlaybackRequest(
      source: stream(harness.clock), id: "a", clock: .source,
      onDeviceLoss: .wait(atMost: .seconds(60)))
    let playing = await start(request, on: harness)
    await harness.passUntilUnplugged()
    await harness.sees { $0 == .deviceLost }
    await harness.pass(100)
    // The skipped audio is released: a seek reaches only audio in memory.
    await #expect(throws: AudioPlayerError.notSeekable(nil)) {
      try await harness.send("a", .seek(to: .time(.seconds(1))))
    }
    await harness.pass { $0.gap != nil }
    await harness.pass(30)
    #expect(try (0...Self.longest).contains(distance(harness, device: 1)))
    try await stop(playing, on: harness)
  }

  @Test func `audio that waits at the start is skipped`() async throws {
    let harness = PlayerHarness()
    // 380 ms arrive at once.
    let source = stream(harness.clock) { index in index < 20 ? -20 * index : -380 }
    let playing = await start(PlaybackRequest(source: source, clock: .source), on: harness)
    await harness.pass(40)
    let distance = try distance(harness) + 380 * 8
    #expect((0...Self.longest).contains(distance), "\(distance)")
    try await stop(playing, on: harness)
  }

  @Test func `files before and after a stream that sets the pace are played unchanged`()
    async throws
  {
    let harness = PlayerHarness()
    let files = [UInt64(1), 2].map { seed in
      AudioSignal.noise(seed: seed).buffer(.seconds(1), format: PlayerHarness.format)
    }
    let items = [
      PlaybackItem(source: .buffers([files[0]])),
      PlaybackItem(source: stream(harness.clock, limit: 150)),
      PlaybackItem(source: .buffers([files[1]])),
    ]
    let playing = await start(PlaybackRequest(items: items, clock: .source), on: harness)
    await harness.pass { $0.advanced?.item == 1 }
    await harness.pass(40)
    #expect(try (0...Self.longest).contains(distance(harness)))
    try await harness.clock.pass { try await playing.value }
    for file in files { #expect(harness.hasPlayed(file.samples)) }
  }
}
