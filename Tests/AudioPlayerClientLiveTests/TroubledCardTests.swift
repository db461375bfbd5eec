import AudioCore
import AudioPlayerClient
import AudioPlayerClientLive
import ClientDependencies
import SoundCard
import Testing
import VirtualSoundCard

/// A virtual card that sleeps or stalls, in a time of its own.
@Suite struct TroubledCardTests {
  let format = AudioFormat(sampleRate: 8_000, channelCount: 1)
  var tone: AudioBuffer { AudioSignal.sine(440).buffer(.milliseconds(500), format: format) }
  let completed = PlaybackEvent.finished(
    PlaybackFinish(reason: .completed, heard: .milliseconds(500)))

  @Test func `a machine that slept is an event, and the sound goes on to its end`() async throws {
    let card = VirtualSoundCard(
      .init(pace: .untimed, faults: [.suspended(at: 1_600, lost: 800)]))
    let events = try await play(on: card)
    #expect(events.contains(.xrun(.milliseconds(100))))
    #expect(events.last == completed)
    #expect(card.played.first?.samples.starts(with: tone.samples) == true)
    #expect(card.openDeviceCount == 0)
  }

  @Test func `a card that stalls with the last frames is not waited for`() async throws {
    let card = VirtualSoundCard(.init(pace: .untimed, faults: [.stalled(at: 3_900)]))
    let events = try await play(on: card)
    #expect(events.last == completed)
    #expect(card.openDeviceCount == 0)
  }

  @Test(.timeLimit(.minutes(1)))
  func `a drain that stalls ends within the device's buffer and a quarter of a second`()
    async throws
  {
    let clock = TestClock()
    let card = VirtualSoundCard(.init(pace: .lockstep(clock), faults: [.stalled(at: 3_900)]))
    let playing = Task { try await play(on: card) }
    await clock.sleepers(atLeast: 1)
    // The sound, the buffer of four periods, the grace, and the period in which the end is seen.
    await clock.advance(by: .milliseconds(500 + 100 + 250 + 25))
    #expect(try await playing.value.last == completed)
  }

  @Test func `a card that stalls is given up, and closed`() async throws {
    let card = VirtualSoundCard(.init(pace: .untimed, faults: [.stalled(at: 1_600)]))
    let error = await #expect(throws: AudioPlayerError.self) { try await play(on: card) }
    #expect("\(String(describing: error))".contains("it takes no frames"))
    #expect(card.openDeviceCount == 0)
  }

  @Test func `a card that is never ready is given up, and closed`() async throws {
    let card = VirtualSoundCard(.init(pace: .untimed, faults: [.neverReady]))
    await #expect(throws: AudioPlayerError.self) { try await play(on: card) }
    #expect(card.openDeviceCount == 0)
  }

  @Test func `a card that is unplugged while its last frames are heard is lost`() async throws {
    let clock = TestClock()
    let card = VirtualSoundCard(.init(pace: .lockstep(clock), faults: [.unplugged(at: 3_800)]))
    let playing = Task { try await play(on: card) }
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: .seconds(1))
    await #expect(throws: AudioPlayerError.deviceLost("virtual")) { try await playing.value }
    #expect(card.openDeviceCount == 0)
  }

  private func play(on card: VirtualSoundCard) async throws -> [PlaybackEvent] {
    try await withDependencies {
      $0.soundCard = card.soundCard
    } operation: {
      let player = AudioPlayerClient.liveValue
      let stream = await player.playback(request: PlaybackRequest(source: .buffers([tone])))
      return try await stream.reduce(into: []) { $0.append($1) }
    }
  }
}
