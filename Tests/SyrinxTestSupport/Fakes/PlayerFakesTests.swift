import AudioCore
import AudioPlayerClient
import AudioPlayerClientLive
import ClientDependencies
import Foundation
import SoundCard
import SyrinxTestSupport
import TestTools
import Testing

extension FakesTests {
  @Suite struct Player {
    private static let players: [Implementation] = [.live, .preview]
    private let clock = TestClock()
    private let folder: TestFolder

    init() throws {
      folder = try TestFolder()
    }

    private func make(_ implementation: Implementation) async throws -> AudioPlayerClient {
      guard implementation == .replay else {
        return implementation == .live ? .liveValue : .previewValue
      }
      let recording = folder.file("music.jsonl")
      try await withDependencies {
        $0.continuousClock = ImmediateClock()
      } operation: {
        let player = try AudioPlayerClient.previewValue.recordingPlayback(to: recording)
        for try await _ in await player.playback(request: PlaybackRequest(source: sound(1))) {}
      }
      return try .replayingPlayback(recording)
    }

    private func sound(_ seconds: Int) -> PlaybackSource {
      let format = AudioFormat(sampleRate: 48_000, channelCount: 1)
      return .buffers([AudioSignal.sine(440).buffer(.seconds(seconds), format: format)])
    }

    /// Runs `body` with a player while the clock runs.
    private func check(
      _ implementation: Implementation, _ function: String = #function,
      faults: [VirtualFault] = [],
      _ body: @Sendable (AudioPlayerClient, VirtualSoundCard) async throws -> Void
    ) async throws {
      let card = VirtualSoundCard(pace: .lockstep(clock), faults: faults)
      try await FakesTests.check(implementation, function) {
        try await withDependencies {
          $0.soundCard = card.soundCard
          $0.continuousClock = clock
        } operation: {
          let player = try await make(implementation)
          try await clock.pass(by: .milliseconds(100)) { try await body(player, card) }
        }
      }
    }

    /// Returns the events of a playback; each event is passed to `react` before the next is
    /// requested.
    private func play(
      _ request: PlaybackRequest, on player: AudioPlayerClient,
      react: (PlaybackEvent) async throws -> Void = { _ in }
    ) async throws -> [PlaybackEvent] {
      var events: [PlaybackEvent] = []
      for try await event in await player.playback(request: request) {
        events.append(event)
        try await react(event)
      }
      return events
    }

    @Test(arguments: players + [.replay])
    func `buffers are played for their duration`(_ implementation: Implementation) async throws {
      try await check(implementation) { player, _ in
        let events = try await play(PlaybackRequest(source: sound(1)), on: player)
        guard case .started = events.first else {
          Issue.record("\(events)")
          return
        }
        #expect(
          events.last == .finished(PlaybackFinish(reason: .completed, played: .seconds(1))))
      }
    }

    @Test(arguments: players)
    func `a stopped loop reports the played duration`(_ implementation: Implementation) async throws
    {
      try await check(implementation) { player, _ in
        let request = PlaybackRequest(source: sound(1), repetition: .forever, id: "a")
        let events = try await play(request, on: player) { event in
          guard case .progress(let progress) = event, progress.played >= .milliseconds(1_200)
          else { return }
          try await player.control(id: "a", command: .stop())
        }
        guard case .finished(let finish) = events.last else {
          Issue.record("\(events)")
          return
        }
        #expect(finish.reason == .stopped)
        #expect((.milliseconds(1_200) ... .milliseconds(1_500)).contains(finish.played))
        #expect(events.contains { if case .looped(_, count: 1) = $0 { true } else { false } })
      }
    }

    @Test(arguments: players)
    func `the playhead does not move during a pause`(_ implementation: Implementation) async throws
    {
      try await check(implementation) { player, _ in
        var places: [Duration] = []
        let request = PlaybackRequest(source: sound(1), id: "a")
        let events = try await play(request, on: player) { event in
          switch event {
          case .progress(let progress) where progress.played >= .milliseconds(300):
            if places.isEmpty { try await player.control(id: "a", command: .pause()) }
          case .paused(let progress):
            places.append(progress.time)
            try await clock.sleep(for: .milliseconds(500))
            try await player.control(id: "a", command: .resume())
          case .resumed(let progress): places.append(progress.time)
          default: break
          }
        }
        #expect(places.count == 2 && places[1] - places[0] <= .milliseconds(20))
        #expect(
          events.last == .finished(PlaybackFinish(reason: .completed, played: .seconds(1))))
      }
    }

    @Test(arguments: players)
    func `a seek moves the playhead`(_ implementation: Implementation) async throws {
      try await check(implementation) { player, _ in
        let request = PlaybackRequest(source: sound(10), id: "a")
        let events = try await play(request, on: player) { event in
          guard case .started = event else { return }
          try await player.control(id: "a", command: .seek(to: .time(.seconds(9))))
        }
        let sought = events.compactMap {
          if case .sought(let progress) = $0 { progress.position } else { nil }
        }
        #expect(sought == [432_000])
        guard case .finished(let finish) = events.last else {
          Issue.record("\(events)")
          return
        }
        #expect(finish.reason == .completed && finish.played < .seconds(2))
      }
    }

    @Test(arguments: players)
    func `an enqueued item plays without another start`(
      _ implementation: Implementation
    ) async throws {
      try await check(implementation) { player, _ in
        let request = PlaybackRequest(source: sound(1), id: "a")
        let events = try await play(request, on: player) { event in
          guard case .started = event else { return }
          try await player.control(
            id: "a", command: .enqueue([PlaybackItem(source: sound(1))]))
        }
        #expect(events.count { if case .started = $0 { true } else { false } } == 1)
        let items = events.compactMap {
          if case .advanced(let progress) = $0 { progress.item } else { nil }
        }
        #expect(items == [1])
        #expect(
          events.last == .finished(PlaybackFinish(reason: .completed, played: .seconds(2))))
      }
    }

    @Test(arguments: players)
    func `an ID in use is rejected, and an unknown ID can be stopped but not paused`(
      _ implementation: Implementation
    ) async throws {
      try await check(implementation) { player, _ in
        let request = PlaybackRequest(source: sound(1), id: "a")
        _ = try await play(request, on: player) { event in
          guard case .started = event else { return }
          await #expect(throws: AudioPlayerError.idInUse("a")) {
            try await play(request, on: player)
          }
        }
        await #expect(throws: AudioPlayerError.unknownPlayback("b")) {
          try await player.control(id: "b", command: .pause())
        }
        try await player.control(id: "b", command: .stop())
      }
    }

    @Test(arguments: players)
    func `a source that cannot be played is an error`(
      _ implementation: Implementation
    ) async throws {
      try await check(implementation) { player, _ in
        let late = PlaybackRange(start: .time(.seconds(2)))
        let refused: [(PlaybackRequest, AudioPlayerError)] = [
          (PlaybackRequest(source: .buffers([])), .emptySource(nil)),
          (
            PlaybackRequest(source: sound(1), range: late),
            .startAfterEnd(nil, start: .seconds(2), length: .seconds(1))
          ),
          (
            PlaybackRequest(source: .stream(.finished()), repetition: .times(2)),
            .streamCannotRepeat
          ),
          (PlaybackRequest(source: sound(1), speed: 5), .speedOutOfRange(5)),
        ]
        for (request, error) in refused {
          await #expect(throws: error) { try await play(request, on: player) }
        }
        let missing = URL(filePath: "/nowhere/a.wav")
        let error = await #expect(throws: AudioPlayerError.self) {
          try await player.play(url: missing)
        }
        guard case .source(missing, _) = error else {
          Issue.record("\(String(describing: error))")
          return
        }
      }
    }

    @Test(arguments: players)
    func `played samples reach the sound card`(_ implementation: Implementation) async throws {
      try await check(implementation) { player, card in
        _ = try await play(PlaybackRequest(source: sound(1)), on: player)
        #expect(card.played.contains { $0.samples.contains { abs($0) > 0.4 } })
      }
    }

    @Test(arguments: players)
    func `an unplugged device ends a playback with an error`(
      _ implementation: Implementation
    ) async throws {
      try await check(implementation, faults: [.unplugged(at: 24_000)]) { player, _ in
        await #expect(throws: AudioPlayerError.deviceLost("virtual")) {
          try await play(PlaybackRequest(source: sound(1)), on: player)
        }
      }
    }

    @Test(arguments: players)
    func `a fade-out longer than a minute is refused`(
      _ implementation: Implementation
    ) async throws {
      try await check(implementation) { player, _ in
        await #expect(throws: AudioPlayerError.fadeOutTooLong(limit: .seconds(60))) {
          try await play(PlaybackRequest(source: sound(1), fadeOut: .seconds(61)), on: player)
        }
      }
    }
  }
}
