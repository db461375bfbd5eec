import AudioCore
import AudioPlayerClient
import ClientDependencies
import Testing

/// A preview makes no sound but performs all commands.
@Suite(.timeLimit(.minutes(5))) struct PreviewControlTests {
  private let clock = TestClock<Duration>()
  private let format = AudioFormat(sampleRate: 8_000, channelCount: 1)

  private func item(_ seconds: Int) -> PlaybackItem {
    PlaybackItem(
      source: .buffers([AudioBuffer(silence: FrameCount(8_000 * seconds), format: format)]))
  }

  private func play(
    _ request: PlaybackRequest, _ body: (AudioPlayerClient) async throws -> Void
  ) async throws -> [PlaybackEvent] {
    try await withDependencies {
      $0.continuousClock = clock
    } operation: {
      let player = AudioPlayerClient.previewValue
      let stream = await player.playback(request: request)
      let events = Task { try await stream.reduce(into: []) { $0.append($1) } }
      await clock.sleepers(atLeast: 1)
      try await body(player)
      return try await events.value
    }
  }

  /// Plays a request, runs `body` without waiting for the start, and returns the events.
  private func played(
    _ request: PlaybackRequest, _ body: (AudioPlayerClient) async throws -> Void
  ) async throws -> [PlaybackEvent] {
    try await withDependencies {
      $0.continuousClock = clock
    } operation: {
      let player = AudioPlayerClient.previewValue
      let stream = await player.playback(request: request)
      try await body(player)
      return try await stream.reduce(into: []) { $0.append($1) }
    }
  }

  private func kind(_ event: PlaybackEvent) -> String {
    switch event {
    case .started: "started"
    case .paused: "paused"
    case .resumed: "resumed"
    default: "other"
    }
  }

  private func pass(_ steps: Int) async {
    for _ in 0..<steps {
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .milliseconds(200))
    }
  }

  @Test func `a pause lasts until resume`() async throws {
    let events = try await play(PlaybackRequest(items: [item(1)], id: "a")) { player in
      await pass(1)
      try await player.control(id: "a", command: .pause())
      await clock.advance(by: .seconds(60))
      try await player.control(id: "a", command: .resume())
      await pass(4)
    }
    #expect(events.contains { if case .paused = $0 { true } else { false } })
    #expect(events.contains { if case .resumed = $0 { true } else { false } })
    guard case .finished(let finish) = events.last else { throw Missing() }
    #expect(finish.reason == .completed)
  }

  @Test func `a preview can be stopped before it begins`() async throws {
    let events = try await played(PlaybackRequest(items: [item(1)], id: "a")) { player in
      try await player.control(id: "a", command: .stop())
    }
    guard case .finished(let finish) = events.last else { throw Missing() }
    #expect(finish == PlaybackFinish(reason: .stopped, played: .zero))
  }

  @Test func `a preview paused before it begins plays once after resume`() async throws {
    let events = try await played(PlaybackRequest(items: [item(1)], id: "a")) { player in
      try await player.control(id: "a", command: .pause())
      try await player.control(id: "a", command: .resume())
      await pass(5)
    }
    #expect(events.prefix(3).map(kind) == ["started", "paused", "resumed"])
    #expect(events.filter { kind($0) == "started" }.count == 1)
    guard case .finished(let finish) = events.last else { throw Missing() }
    #expect(finish == PlaybackFinish(reason: .completed, played: .seconds(1)))
  }

  @Test func `during a pause, the played position does not change`() async throws {
    let events = try await play(PlaybackRequest(items: [item(1)], id: "a")) { player in
      for _ in 0..<3 {
        await clock.sleepers(atLeast: 1)
        try await player.control(id: "a", command: .pause())
        try await player.control(id: "a", command: .resume())
      }
      await pass(5)
    }
    let places = events.compactMap { if case .paused(let place) = $0 { place } else { nil } }
    #expect(places.map(\.time) == [.zero, .zero, .zero])
    guard case .finished(let finish) = events.last else { throw Missing() }
    #expect(finish == PlaybackFinish(reason: .completed, played: .seconds(1)))
  }

  @Test func `a paused preview can be stopped, and later commands throw unknownPlayback`()
    async throws
  {
    let events = try await play(PlaybackRequest(items: [item(1)], id: "a")) { player in
      try await player.control(id: "a", command: .pause())
      try await player.control(id: "a", command: .stop())
    }
    guard case .finished(let finish) = events.last else { throw Missing() }
    #expect(finish.reason == .stopped)
    let player = AudioPlayerClient.previewValue
    await #expect(throws: AudioPlayerError.unknownPlayback("a")) {
      try await player.control(id: "a", command: .resume())
    }
    try await player.control(id: "a", command: .stop())
  }

  @Test func `items play in order, and a seek or a skip moves to another item`() async throws {
    let events = try await play(
      PlaybackRequest(items: [item(100), item(1), item(100)], id: "a")
    ) { player in
      try await player.control(id: "a", command: .seek(to: .time(.seconds(99))))
      try await player.control(id: "a", command: .enqueue([item(1)]))
      await pass(12)
      try await player.control(id: "a", command: .skip)
      await pass(5)
    }
    let items = events.compactMap { if case .advanced(let place) = $0 { place.item } else { nil } }
    #expect(items == [1, 2, 3])
    #expect(
      events.contains {
        if case .sought(let place) = $0 { place.position == 792_000 } else { false }
      })
  }

  @Test func `a seek in a stream is refused, and the stream is played to its end`() async throws {
    let events = try await playedStream { player in
      await #expect(throws: AudioPlayerError.notSeekable(nil)) {
        try await player.control(id: "a", command: .seek(to: .time(.zero)))
      }
    }
    #expect(events.last == .finished(PlaybackFinish(reason: .completed, played: .seconds(1))))
  }

  @Test func `resuming a stream that is not paused changes nothing`() async throws {
    let events = try await playedStream { player in
      try await player.control(id: "a", command: .resume())
    }
    #expect(events.last == .finished(PlaybackFinish(reason: .completed, played: .seconds(1))))
  }

  /// Plays a stream whose only second of audio arrives after `body`.
  private func playedStream(
    _ body: (AudioPlayerClient) async throws -> Void
  ) async throws -> [PlaybackEvent] {
    let (stream, continuation) = AsyncThrowingStream<AudioBuffer, any Error>.makeStream()
    return try await withDependencies {
      $0.continuousClock = ImmediateClock()
    } operation: {
      let player = AudioPlayerClient.previewValue
      let playback = await player.playback(
        request: PlaybackRequest(items: [PlaybackItem(source: .stream(stream))], id: "a"))
      try await body(player)
      continuation.yield(AudioBuffer(silence: 8_000, format: format))
      continuation.finish()
      return try await playback.reduce(into: []) { $0.append($1) }
    }
  }

  private struct Missing: Error {}

  @Test func `a preview repeats the list`() async throws {
    let request = PlaybackRequest(items: [item(1), item(2)], cycle: .times(2))
    let events = try await play(request) { _ in await pass(30) }
    #expect(events.compactMap(\.advancedItem) == [1, 0, 1])
    #expect(
      events.last == .finished(PlaybackFinish(reason: .completed, played: .seconds(6))))
  }

  @Test func `a preview at triple speed takes a third of the time`() async throws {
    var request = PlaybackRequest(items: [item(1), item(2)])
    request.speed = 3
    let events = try await play(request) { _ in await pass(5) }
    guard case .finished(let finish) = events.last else {
      Issue.record("\(String(describing: events.last))")
      return
    }
    #expect(abs(finish.played.inSeconds - 1) < 1e-6)
    let last = events.compactMap { event -> PlaybackProgress? in
      if case .progress(let progress) = event { progress } else { nil }
    }.last
    #expect(last?.item == 1 && last?.time == .seconds(2))
  }

  @Test func `a preview plays a stream at double speed in half its time`() async throws {
    let second = AudioBuffer(silence: 8_000, format: format)
    let stream = AsyncThrowingStream<AudioBuffer, any Error> { continuation in
      for _ in 0..<4 { continuation.yield(second) }
      continuation.finish()
    }
    let request = PlaybackRequest(source: .stream(stream), speed: 2)
    let events = try await play(request) { _ in
      for _ in 0..<4 {
        await clock.sleepers(atLeast: 1)
        await clock.advance(by: .milliseconds(500))
      }
    }
    #expect(events.last == .finished(PlaybackFinish(reason: .completed, played: .seconds(2))))
    let last = events.compactMap { event -> PlaybackProgress? in
      if case .progress(let progress) = event { progress } else { nil }
    }.last
    #expect(last?.time == .seconds(4))
  }

  @Test func `a repeated list without any audio ends with the error emptySource`() async {
    let empty = PlaybackItem(source: .buffers([AudioBuffer(silence: 0, format: format)]))
    await #expect(throws: AudioPlayerError.emptySource(nil)) {
      try await played(PlaybackRequest(items: [empty], cycle: .forever)) { _ in }
    }
    await #expect(throws: AudioPlayerError.emptySource(nil)) {
      try await played(PlaybackRequest(source: .stream(.finished()))) { _ in }
    }
  }

  @Test
  func `with an immediate clock, an endless preview plays for as long as the test sleeps`()
    async throws
  {
    let clock = ImmediateClock()
    let events = try await withDependencies {
      $0.continuousClock = clock
    } operation: {
      let player = AudioPlayerClient.previewValue
      let loop = PlaybackItem(source: item(2).source, repetition: .forever)
      let playback = await player.playback(request: PlaybackRequest(items: [item(1), loop]))
      try await clock.sleep(for: .milliseconds(5_050))
      await player.stop()
      return try await playback.reduce(into: []) { $0.append($1) }
    }
    #expect(
      events.last
        == .finished(PlaybackFinish(reason: .stopped, played: .milliseconds(5_050))))
    #expect(events.contains { if case .looped(_, count: 2) = $0 { true } else { false } })
  }

  @Test func `a stream resumes after a pause with the buffer that arrived during the pause`()
    async throws
  {
    let (stream, continuation) = AsyncThrowingStream<AudioBuffer, any Error>.makeStream()
    let request = PlaybackRequest(items: [PlaybackItem(source: .stream(stream))], id: "a")
    let events = try await withDependencies {
      $0.continuousClock = ImmediateClock()
    } operation: {
      let player = AudioPlayerClient.previewValue
      let playback = await player.playback(request: request)
      try await player.control(id: "a", command: .pause())
      continuation.yield(AudioBuffer(silence: 8_000, format: format))
      continuation.finish()
      try await player.control(id: "a", command: .resume())
      return try await playback.reduce(into: []) { $0.append($1) }
    }
    #expect(events.last == .finished(PlaybackFinish(reason: .completed, played: .seconds(1))))
  }
}

extension PlaybackEvent {
  fileprivate var advancedItem: Int? {
    if case .advanced(let place) = self { place.item } else { nil }
  }
}
