import AudioCore
import AudioPlayerClient
import AudioThreads
import ClientDependencies
import Foundation
import SoundCard
import Testing
import VirtualSoundCard

@testable import AudioPlayerClientLive

/// The threads that decode the voices of a player.
@Suite(.fewAtATime, .timeLimit(.minutes(5))) struct DecodingThreadsTests {
  // In real time, because a card in lockstep waits for a late source.
  private let card = VirtualSoundCard(pace: .realTime)

  private func begin(
    _ source: PlaybackSource, _ repetition: PlaybackRepetition = .times(1), by player: AudioPlayer
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

  @Test(arguments: [true, false])
  func `64 voices share at most three threads, which end with the voices`(ofFiles: Bool)
    async throws
  {
    let sound = staircase(8_000)
    let file = try temporaryWAV(sound)
    defer { try? FileManager.default.removeItem(at: file) }
    // No read counts as stuck, however busy the machine is.
    let pool = ThreadPool(name: "syrinx-decode", patience: .seconds(3_600))
    let player = AudioPlayer(decoding: pool)
    let playing = try await withThrowingTaskGroup(of: PlaybackSession.self) { group in
      for _ in 0..<VoiceTable.limit {
        group.addTask {
          let (session, started) = try await begin(
            ofFiles ? .file(file) : .buffers([sound]), .forever, by: player)
          await started.wait()
          return session
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect((1...3).contains(pool.threadCount), "\(pool.threadCount)")
    for session in playing { session.stop() }
    for session in playing { try await session.ended() }
    while pool.threadCount > 0 { await Task.yield() }
  }

  @Test func `a file plays to its end while other files are on stuck disks`() async throws {
    let calls = try (0..<8).map { try BlockedSourceCall($0 < 4 ? .open : .read(1)) }
    let stuck = try calls.map { _ in try temporaryWAV(staircase(8_000)) }
    let file = try temporaryWAV(staircase(8_000))
    defer { for file in stuck + [file] { try? FileManager.default.removeItem(at: file) } }
    let disks = Dictionary(uniqueKeysWithValues: zip(stuck, calls))
    let player = AudioPlayer(makeSource: { source, mailbox in
      let file = source.makeSource(mailbox)
      guard let url = file.url, let call = disks[url] else { return file }
      return BlockingFileSource(file, call)
    })
    var waiting: [PlaybackSession] = []
    for file in stuck { waiting.append(try await begin(.file(file), by: player).session) }
    for call in calls { await call.made.wait() }
    try await begin(.file(file), by: player).session.ended()
    for call in calls { call.letReturn() }
    for session in waiting { try await session.ended() }
  }
}
