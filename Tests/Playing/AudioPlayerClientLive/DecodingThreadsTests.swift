import AudioCore
import AudioPlayerClient
import AudioThreads
import ClientDependencies
import Foundation
import SoundCard
import TestTools
import Testing
import VirtualSoundCard

@testable import AudioPlayerClientLive

/// The threads that decode the voices of a player.
@Suite(.fewAtATime, .timeLimit(.minutes(5))) struct DecodingThreadsTests {
  private static func begin(
    _ source: PlaybackSource, _ repetition: PlaybackRepetition = .times(1), by player: AudioPlayer,
    on card: VirtualSoundCard
  ) async throws -> (session: PlaybackSession, started: Gate) {
    let started = Gate()
    let session = try await withDependencies {
      $0.soundCard = card.soundCard
    } operation: {
      try await player.begin(PlaybackRequest(source: source, repetition: repetition)) { event in
        if case .progress = event { started.open() }
      }
    }
    return (session, started)
  }

  /// Runs in a separate process, in which no other test has threads.
  @Test func `64 voices share at most two threads, which end with the voices`() async {
    await #expect(processExitsWith: .success) {
      let sound = staircase(8_000)
      let file = try temporaryWAV(sound)
      defer { try? FileManager.default.removeItem(at: file) }
      for source in [PlaybackSource.file(file), .buffers([sound])] {
        try await DecodingThreadsTests.playSixtyFour(source)
        while try !ProcessResources.threadNames().isEmpty { await Task.yield() }
      }
    }
  }

  /// Plays 64 voices, and counts the threads when all of them sound.
  private static func playSixtyFour(_ source: PlaybackSource) async throws {
    // No read counts as blocked, however busy the machine is.
    let decoding = SharedThreadPool(name: "syrinx-decode", joinDelay: .seconds(3_600))
    let player = AudioPlayer(decoding: decoding)
    let card = VirtualSoundCard(pace: .realTime)
    let playing = try await withThrowingTaskGroup(of: PlaybackSession.self) { group in
      for _ in 0..<VoiceTable.limit {
        group.addTask {
          let (session, started) = try await begin(source, .forever, by: player, on: card)
          await started.wait()
          return session
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let names = try ProcessResources.threadNames()
    let decodingCount = names.count { $0 == "syrinx-decode\n" }
    #expect((1...2).contains(decodingCount), "\(names)")
    // The other threads belong to the device.
    #expect(names.count <= decodingCount + 2, "\(names)")
    for session in playing { session.stop() }
    for session in playing { try await session.ended() }
  }

  /// A sound that waited for another thread each second would take longer than the time limit.
  @Test func `a file plays to its end while other files are on stuck disks`() async throws {
    let calls = try (0..<8).map { try BlockedSourceCall($0 < 4 ? .open : .read(1)) }
    let stuck = try calls.map { _ in try temporaryWAV(staircase(8_000)) }
    let file = try temporaryWAV(staircase(8_000))
    defer { for file in stuck + [file] { try? FileManager.default.removeItem(at: file) } }
    let disks = Dictionary(uniqueKeysWithValues: zip(stuck, calls))
    let player = AudioPlayer(
      makeSource: { source, mailbox in
        let file = source.makeSource(mailbox)
        guard let url = file.url, let call = disks[url] else { return file }
        return BlockingFileSource(file, call)
      }, decoding: SharedThreadPool(name: "syrinx-decode", joinDelay: .seconds(2)))
    // In real time, because a card in lockstep waits for a late source.
    let card = VirtualSoundCard(pace: .realTime)
    var waiting: [PlaybackSession] = []
    for file in stuck {
      waiting.append(try await Self.begin(.file(file), by: player, on: card).session)
    }
    for call in calls { await call.made.wait() }
    let clock = TestClock()
    let session = try await Self.begin(
      .file(file), .times(160), by: player, on: VirtualSoundCard(pace: .lockstep(clock))
    ).session
    await clock.sleepers(atLeast: 1)
    async let end: Void = clock.advance(by: .seconds(170))
    try await session.ended()
    session.releaseTime()
    await end
    for call in calls { call.letReturn() }
    for session in waiting { try await session.ended() }
  }

  /// Runs in a separate process, because the busy tasks would stop the other tests.
  @Test func `a voice plays to its end although tasks occupy Swift's cooperative pool`() async {
    await #expect(processExitsWith: .success) {
      // Ten times as long as the voice's ring.
      let file = try temporaryWAV(staircase(80_000))
      defer { try? FileManager.default.removeItem(at: file) }
      let call = try BlockedSourceCall(.read(2))
      let player = AudioPlayer(makeSource: { source, mailbox in
        BlockingFileSource(source.makeSource(mailbox), call)
      })
      let (isPlaying, isOver) = (Gate(), try WakeUp())
      let session = try await withDependencies {
        // The time of this card needs no task.
        $0.soundCard = VirtualSoundCard(pace: .untimed).soundCard
      } operation: {
        try await player.begin(PlaybackRequest(source: .file(file))) { event in
          guard case .progress(let progress) = event else { return }
          isPlaying.open()
          if progress.played == .seconds(10) { isOver.signal() }
        }
      }
      await call.made.wait()
      await isPlaying.wait()
      let (hasPlayed, wereAlone) = try await withBusyTasks {
        call.letReturn()
        return isOver.wait(atMost: .seconds(240))
      }
      #expect(hasPlayed && wereAlone)
      try await session.ended()
    }
  }
}
