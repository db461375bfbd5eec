import AudioCore
import AudioPlayerClient
import AudioThreads
import Testing

/// Commands in any order, at any moment: the same ones in every run.
@Suite(.timeLimit(.minutes(2))) struct RandomCommandsTests {
  /// A generator whose numbers are told by its seed.
  private struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ (state >> 29)
    }
  }

  private func command(_ numbers: inout Numbers) -> PlaybackCommand {
    let fade = Duration.milliseconds(Int.random(in: 10...40, using: &numbers))
    return switch Int.random(in: 0..<10, using: &numbers) {
    case 0, 1: .pause(fade: fade)
    case 2, 3, 4: .resume(fade: fade)
    case 5, 6:
      .seek(
        to: .frame(FrameCount(.random(in: -100...9_000, using: &numbers))),
        item: Bool.random(using: &numbers) ? Int.random(in: 0..<4, using: &numbers) : nil)
    case 7: .setVolume(Float.random(in: 0...1, using: &numbers), ramp: fade)
    case 8: .enqueue([PlaybackItem(source: .buffers([staircase(700)]))])
    default: .skip
    }
  }

  @Test(arguments: 1...8) func `whatever is told in whatever order, all ends and is closed`(
    seed: UInt64
  ) async throws {
    let deck = Deck()
    var numbers = Numbers(state: seed)
    let items = (0..<40).map { index in
      PlaybackItem(
        source: .buffers([staircase(4_000 + 100 * index)]),
        repetition: index % 3 == 0 ? .forever : .times(2))
    }
    let playing = await deck.start(PlaybackRequest(items: items, id: "a"))
    var told: [Task<Void, any Error>] = []
    for _ in 0..<125 {
      let command = command(&numbers)
      // Some are not waited for before the next one follows.
      told.append(Task { try await deck.player.control(id: "a", command: command) })
      if Bool.random(using: &numbers) { await deck.pass(1) }
    }
    try await deck.tell("a", .stop())
    try await deck.finish(playing)
    // What is told after the end finds nobody.
    for telling in told {
      guard case .failure(let error) = await telling.result else { continue }
      #expect(error as? AudioPlayerError == .unknownPlayback("a"))
    }
    // Where one item follows another the stairs fall by less than this, and nothing else does.
    #expect(largestStep(deck.played) < 0.15)
    #expect(deck.openDeviceCount == 0)
    let heard = deck.events.compactMap(\.progress).map(\.heard)
    #expect(heard == heard.sorted())
    #expect(deck.events.last?.finish != nil)
  }

  /// What a playback can be in the middle of.
  enum Moment: CaseIterable {
    case beginning, sounding, fading, paused, seeking, soughtWhilePaused, starving, ending
  }

  @Test(arguments: Moment.allCases) func `a playback can be cancelled in the middle of anything`(
    moment: Moment
  ) async throws {
    let deck = Deck()
    let (stream, continuation) = AsyncThrowingStream<AudioBuffer, any Error>.makeStream()
    continuation.yield(staircase(4_000))
    let items =
      moment == .starving
      ? [PlaybackItem(source: .stream(stream))]
      : [PlaybackItem(source: .buffers([staircase(moment == .ending ? 900 : 40_000)]))]
    let playing = await deck.start(PlaybackRequest(items: items, id: "a"))
    var telling: Task<Void, any Error>?
    func tell(_ command: PlaybackCommand) {
      telling = Task { try await deck.player.control(id: "a", command: command) }
    }
    if moment != .beginning { await deck.pass(moment == .ending ? 3 : 5) }
    switch moment {
    case .beginning, .sounding, .ending, .starving: break
    case .fading: tell(.pause(fade: .seconds(3)))
    case .paused: try await deck.tell("a", .pause())
    case .seeking: tell(.seek(to: .frame(30_000)))
    case .soughtWhilePaused:
      try await deck.tell("a", .pause())
      tell(.seek(to: .frame(30_000)))
    }
    playing.cancel()
    await deck.player.stopsWhile { try? await deck.finish(playing) }
    _ = await telling?.result
    #expect(deck.openDeviceCount == 0)
  }
}

extension AudioPlayerClient {
  /// Stops all while something else goes on.
  fileprivate func stopsWhile(_ body: () async -> Void) async {
    async let stopped: Void = stop()
    await body()
    await stopped
  }
}
