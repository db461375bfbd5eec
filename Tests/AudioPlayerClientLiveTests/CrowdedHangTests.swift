import AudioCore
import AudioPlayerClient
import AudioPlayerClientLive
import AudioThreads
import ClientDependencies
import SoundCard
import Testing
import VirtualSoundCard

/// Sounds that come and go while the card does not return from a call.
@Suite(.timeLimit(.minutes(2))) struct CrowdedHangTests {
  private let sound = staircase(4_000)

  @Test func `more sounds than have a place come and go while the card hangs`() async throws {
    let card = VirtualSoundCard(.init(pace: .untimed, faults: [.blocked(in: .transfer, at: 400)]))
    try await withDependencies {
      $0.soundCard = card.soundCard
      $0.continuousClock = ContinuousClock()
    } operation: {
      let player = AudioPlayerClient.liveValue
      let isLost = Gate()
      let stream = await player.playback(request: request("first"))
      let first = Task {
        try await stream.reduce(nil as PlaybackFinish?) { last, event in
          if event == .deviceLost { isLost.open() }
          return event.finish ?? last
        }
      }
      await isLost.wait()
      // The thread that hangs keeps no places.
      for _ in 0..<2 {
        #expect(await comeAndGo(0..<35, player).allSatisfy { $0 == .success(.stopped) })
      }
      try await player.control(id: "first", command: .stop())
      #expect(try await first.value?.reason == .stopped)
    }
    card.releaseBlockedCalls()
    while card.openDeviceCount > 0 { await Task.yield() }
  }

  @Test func `what failed while the card hung is not heard when it is opened again`() async throws {
    let deck = Deck(faults: [.blocked(in: .transfer, at: 1_600)])
    let waiting = await deck.start(
      PlaybackRequest(source: .buffers([sound]), onDeviceLoss: .wait(atMost: .seconds(60))))
    let other = AudioBuffer(format: Deck.format, samples: .init(repeating: 0.25, count: 8_000))
    let failing = await deck.start(PlaybackRequest(source: .buffers([other])))
    await deck.clock.advance(by: .milliseconds(200))
    await deck.sees { $0 == .deviceLost }
    await #expect(throws: AudioPlayerError.deviceLost("virtual")) { try await failing.value }
    await deck.pass { $0.gap != nil }
    try await deck.finish(waiting)
    // The frames of both that were not played come first.
    let tail = Array(sound.samples.suffix(1_000))
    #expect(deck.card.played.count == 2)
    #expect(deck.card.played.last?.samples.range(of: tail) != nil)
    deck.card.releaseBlockedCalls()
    while deck.openDeviceCount > 0 { await Task.yield() }
  }

  private func request(_ id: PlaybackID) -> PlaybackRequest {
    PlaybackRequest(
      source: .buffers([sound]), repetition: .forever, id: id,
      onDeviceLoss: .wait(atMost: .seconds(600)))
  }

  /// Begins as many sounds, stops them when all have begun or been refused, and tells how they
  /// ended.
  private func comeAndGo(
    _ numbers: Range<Int>, _ player: AudioPlayerClient
  ) async -> [Result<PlaybackFinish.Reason?, AudioPlayerError>] {
    var playing: [Task<Result<PlaybackFinish.Reason?, AudioPlayerError>, Never>] = []
    for number in numbers {
      let begun = Gate()
      let stream = await player.playback(request: request(PlaybackID("\(number)")))
      playing.append(
        Task {
          defer { begun.open() }
          do {
            var reason: PlaybackFinish.Reason?
            for try await event in stream {
              begun.open()
              reason = event.finish?.reason ?? reason
            }
            return .success(reason)
          } catch {
            return .failure(error as? AudioPlayerError ?? .system(reason: "\(error)"))
          }
        })
      await begun.wait()
    }
    for number in numbers {
      // Those that were refused are unknown.
      try? await player.control(id: PlaybackID("\(number)"), command: .stop())
    }
    var ends: [Result<PlaybackFinish.Reason?, AudioPlayerError>] = []
    for playing in playing { ends.append(await playing.value) }
    return ends
  }
}
