import AudioCore
import AudioPlayerClient
import AudioPlayerClientLive
import ClientDependencies
import ClientDependenciesTestSupport
import Foundation
import SoundCard
import SyrinxTestSupport
import TestTools
import Testing

@Suite(.timeLimit(.minutes(5))) struct PlaybackRecordingTests {
  let folder: TestFolder
  let file: URL

  init() throws {
    folder = try TestFolder()
    file = folder.file("music.jsonl")
  }

  private static let progress = PlaybackProgress(
    played: .seconds(3), item: 1, position: 4_410, time: .milliseconds(100), length: .seconds(9))

  private static let events: [PlaybackEvent] = [
    .started(
      PlaybackStart(
        device: "virtual", format: AudioFormat(sampleRate: 44_100, channelCount: 1),
        announcedDuration: .seconds(9), item: 1)),
    .progress(progress), .xrun(.milliseconds(3)), .starved(.milliseconds(4)),
    .looped(progress, count: 2), .advanced(PlaybackProgress(played: .seconds(4))),
    .paused(progress), .resumed(progress), .sought(progress),
    .shortfall(item: 1, announced: nil, decoded: .seconds(2)),
    .shortfall(item: 1, announced: .seconds(3), decoded: .seconds(2)),
    .title(item: 0, "Ode \"to\" Joy"), .nonFinite(sampleCount: 7),
    .failed(item: 2, .startAfterEnd(URL(filePath: "/a.wav"), start: .seconds(1), length: nil)),
    .limited(Decibels(-1.5)), .limited(.silence), .deviceLost, .deviceReturned(gap: .seconds(1)),
    .finished(PlaybackFinish(reason: .stopped, played: .seconds(5))),
    .finished(PlaybackFinish(reason: .completed, played: .seconds(6))),
  ]

  private func player(
    _ events: [PlaybackEvent] = events, error: (any Error)? = nil
  ) -> AudioPlayerClient {
    var player = AudioPlayerClient()
    player.playback = { _ in
      AsyncThrowingStream { stream in
        for event in events { stream.yield(event) }
        stream.finish(throwing: error)
      }
    }
    return player
  }

  private let request = PlaybackRequest(source: .file(URL(filePath: "a.wav")))

  @Test(.dependencies { $0.continuousClock = ImmediateClock() })
  func `all events of a playback are replayed unchanged`() async throws {
    let recorded = try player().recordingPlayback(to: file)
    #expect(try await recorded.playback(request: request).collect() == Self.events)
    let replayed = try AudioPlayerClient.replayingPlayback(file)
    #expect(try await replayed.playback(request: request).collect() == Self.events)
    await #expect(throws: ReplayError.noMoreTasks(recorded: 1)) {
      try await replayed.playback(request: request).collect()
    }
  }

  @Test(
    .dependencies { $0.continuousClock = ImmediateClock() },
    arguments: [AudioPlayerError.deviceLost("virtual"), .speedOutOfRange(.infinity)])
  func `the error of a playback is replayed as the same error`(
    error: AudioPlayerError
  ) async throws {
    let recorded = try player([], error: error).recordingPlayback(to: file)
    await #expect(throws: error) { try await recorded.play(url: file) }
    let replayed = try AudioPlayerClient.replayingPlayback(file)
    await #expect(throws: error) { try await replayed.play(url: file) }
  }

  @Test(.dependencies { $0.continuousClock = ImmediateClock() })
  func `a live playback is replayed without a sound card`() async throws {
    let card = VirtualSoundCard(pace: .untimed)
    let tone = AudioSignal.sine(440).buffer(.seconds(1), format: .speech)
    let request = PlaybackRequest(source: .buffers([tone]))
    let recorded = try AudioPlayerClient.live(on: card.soundCard).recordingPlayback(to: file)
    let played = try await recorded.playback(request: request).collect()
    #expect(played.last == .finished(PlaybackFinish(reason: .completed, played: .seconds(1))))
    let replayed = try AudioPlayerClient.replayingPlayback(file)
    let events = try await replayed.playback(request: request).collect()
    #expect(events.dropFirst() == played.dropFirst())
    guard case .started(var start) = played.first else {
      Issue.record("\(played)")
      return
    }
    start.settings = nil
    #expect(events.first == .started(start))
  }

  @Test func `events are replayed when they are due, and stop yields the remaining events at once`()
    async throws
  {
    try Data(
      """
      {"format":"syrinx-playback","version":1}
      {"task":0,"ns":1000000000,"playback":{"kind":"started","device":"virtual"}}
      {"task":0,"ns":2000000000,"playback":{"kind":"progress","ns":1000000000}}
      {"task":0,"ns":3000000000,"playback":{"kind":"finished","ns":2000000000,"stopped":true}}
      {"task":0,"ns":3000000000,"finished":true}

      """.utf8
    ).write(to: file)
    let clock = TestClock()
    let player = try AudioPlayerClient.replayingPlayback(file)
    try await withDependencies {
      $0.continuousClock = clock
    } operation: {
      let stream = await player.playback(request: request)
      let seen = LockIsolated<[PlaybackEvent]>([])
      let playing = Task {
        for try await event in stream { seen.withValue { $0.append(event) } }
      }
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .milliseconds(999))
      #expect(seen.value.isEmpty)
      await clock.advance(by: .milliseconds(1))
      await clock.sleepers(atLeast: 1)
      #expect(seen.value.count == 1)
      try await player.control(id: request.id, command: .pause())
      try await player.control(id: "another", command: .stop())
      await player.setVolume(volume: 0.5)
      await player.setBusVolume(bus: .music, volume: 0.5)
      #expect(seen.value.count == 1)
      await player.stop()
      try await playing.value
      #expect(
        seen.value.last
          == .finished(PlaybackFinish(reason: .stopped, played: .seconds(2))))
    }
  }

  @Test(.dependencies { $0.continuousClock = TestClock() })
  func `stopping one playback does not stop the others`() async throws {
    try Data(
      """
      {"format":"syrinx-playback","version":1}
      {"task":0,"ns":1000000000,"playback":{"kind":"deviceLost"}}
      {"task":1,"ns":1000000000,"playback":{"kind":"deviceLost"}}

      """.utf8
    ).write(to: file)
    let player = try AudioPlayerClient.replayingPlayback(file)
    let streams = [
      await player.playback(request: PlaybackRequest(source: .buffers([]), id: "song")),
      await player.playback(request: PlaybackRequest(source: .buffers([]), id: "chime")),
    ]
    try await player.control(id: "chime", command: .stop())
    #expect(try await streams[1].collect() == [.deviceLost])
    let song = Task { try await streams[0].collect() }
    @Dependency(\.continuousClock) var clock
    let tests = try #require(clock as? TestClock<Duration>)
    // The other playback still waits for its next event.
    await tests.sleepers(atLeast: 1)
    await tests.advance(by: .seconds(1))
    #expect(try await song.value == [.deviceLost])
  }
}
