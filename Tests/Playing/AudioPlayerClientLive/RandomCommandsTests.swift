import AudioCore
import AudioPlayerClient
import AudioThreads
import TestTools
import Testing

/// Commands in random order at random times, the same in every run.
@Suite(.fewAtATime, .timeLimit(.minutes(5))) struct RandomCommandsTests {
  private func command(_ numbers: inout SeededNumbers) -> PlaybackCommand {
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

  @Test(arguments: 1...8) func `after any sequence of commands, no device stays open`(
    seed: UInt64
  ) async throws {
    let harness = PlayerHarness()
    var numbers = SeededNumbers(seed: seed)
    let items = (0..<40).map { index in
      PlaybackItem(
        source: .buffers([staircase(4_000 + 100 * index)]),
        repetition: index % 3 == 0 ? .forever : .times(2))
    }
    let playing = await harness.start(PlaybackRequest(items: items, id: "a"))
    var told: [Task<Void, any Error>] = []
    for _ in 0..<125 {
      let command = command(&numbers)
      // Some commands follow the previous command without waiting for its effect.
      told.append(Task { try await harness.player.control(id: "a", command: command) })
      if Bool.random(using: &numbers) { await harness.pass(1) }
    }
    try await harness.send("a", .stop())
    try await harness.finish(playing)
    // A command fails only if it was sent after the playback had ended.
    for telling in told {
      guard case .failure(let error) = await telling.result else { continue }
      #expect(error as? AudioPlayerError == .unknownPlayback("a"))
    }
    // The staircase falls only between items, by less than 0.15.
    #expect(largestStep(harness.played) < 0.15)
    #expect(harness.openDeviceCount == 0)
    let played = harness.events.compactMap(\.progress).map(\.played)
    #expect(played == played.sorted())
    #expect(harness.events.last?.finish != nil)
  }

  /// The moments at which a playback is canceled.
  enum Moment: CaseIterable {
    case beginning, sounding, fading, paused, seeking, soughtWhilePaused, starving, ending
  }

  @Test(arguments: Moment.allCases) func `a playback can be canceled during any command`(
    moment: Moment
  ) async throws {
    let harness = PlayerHarness()
    let (stream, continuation) = AsyncThrowingStream<AudioBuffer, any Error>.makeStream()
    continuation.yield(staircase(4_000))
    let items =
      moment == .starving
      ? [PlaybackItem(source: .stream(stream))]
      : [PlaybackItem(source: .buffers([staircase(moment == .ending ? 900 : 40_000)]))]
    let playing = await harness.start(PlaybackRequest(items: items, id: "a"))
    var telling: Task<Void, any Error>?
    func send(_ command: PlaybackCommand) {
      telling = Task { try await harness.player.control(id: "a", command: command) }
    }
    if moment != .beginning { await harness.pass(moment == .ending ? 3 : 5) }
    switch moment {
    case .beginning, .sounding, .ending, .starving: break
    case .fading: send(.pause(fade: .seconds(3)))
    case .paused: try await harness.send("a", .pause())
    case .seeking: send(.seek(to: .frame(30_000)))
    case .soughtWhilePaused:
      try await harness.send("a", .pause())
      send(.seek(to: .frame(30_000)))
    }
    playing.cancel()
    await harness.player.stopsWhile { try? await harness.finish(playing) }
    _ = await telling?.result
    #expect(harness.openDeviceCount == 0)
  }
}

extension AudioPlayerClient {
  /// Stops all playbacks while `body` runs.
  fileprivate func stopsWhile(_ body: () async -> Void) async {
    async let stopped: Void = stop()
    await body()
    await stopped
  }
}
