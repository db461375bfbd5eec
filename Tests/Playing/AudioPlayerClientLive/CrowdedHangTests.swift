import AudioCore
import AudioPlayerClient
import AudioPlayerClientLive
import AudioThreads
import ClientDependencies
import SoundCard
import TestTools
import Testing
import VirtualSoundCard

/// Sounds that begin and end while the device hangs in a call.
@Suite(.fewAtATime, .timeLimit(.minutes(5))) struct CrowdedHangTests {
  private let sound = staircase(4_000)

  @Test
  func `while a device hangs, sounds beyond the voice limit are refused and released`()
    async throws
  {
    let card = VirtualSoundCard(pace: .untimed, faults: [.blocked(in: .transfer, at: 400)])
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
      // The hanging thread must not occupy places in the voice table, so sounds can start again.
      for _ in 0..<2 {
        #expect(await comeAndGo(0..<35, player).allSatisfy { $0 == .success(.stopped) })
      }
      try await player.control(id: "first", command: .stop())
      #expect(try await first.value?.reason == .stopped)
    }
    card.releaseBlockedCalls()
    while card.openDeviceCount > 0 { await Task.yield() }
  }

  @Test
  func `a sound that failed while the device hung is not played when the device is opened again`()
    async throws
  {
    let harness = PlayerHarness(faults: [.blocked(in: .transfer, at: 1_600)])
    let waiting = await harness.start(
      PlaybackRequest(source: .buffers([sound]), onDeviceLoss: .wait(atMost: .seconds(60))))
    let other = AudioBuffer(
      format: PlayerHarness.format, samples: .init(repeating: 0.25, count: 8_000))
    let failing = await harness.start(PlaybackRequest(source: .buffers([other])))
    await harness.clock.advance(by: .milliseconds(200))
    await harness.sees { $0 == .deviceLost }
    await #expect(throws: AudioPlayerError.deviceLost("virtual")) { try await failing.value }
    await harness.pass { $0.gap != nil }
    try await harness.finish(waiting)
    // The reopened device first gets the unplayed frames of both sounds, and then only the waiting
    // sound.
    let tail = Array(sound.samples.suffix(1_000))
    #expect(harness.card.played.count == 2)
    #expect(harness.card.played.last?.samples.range(of: tail) != nil)
    harness.card.releaseBlockedCalls()
    while harness.openDeviceCount > 0 { await Task.yield() }
  }

  private func request(_ id: PlaybackID) -> PlaybackRequest {
    PlaybackRequest(
      source: .buffers([sound]), repetition: .forever, id: id,
      onDeviceLoss: .wait(atMost: .seconds(600)))
  }

  /// Starts a sound for each number, stops the sounds when all have started or been refused, and
  /// returns how they ended.
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
      // If the sound was refused, this throws `unknownPlayback`, which is ignored.
      try? await player.control(id: PlaybackID("\(number)"), command: .stop())
    }
    var ends: [Result<PlaybackFinish.Reason?, AudioPlayerError>] = []
    for playing in playing { ends.append(await playing.value) }
    return ends
  }
}
