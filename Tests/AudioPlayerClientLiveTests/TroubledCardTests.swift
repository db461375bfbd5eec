import AudioCore
import AudioPlayerClient
import AudioPlayerClientLive
import ClientDependencies
import SoundCard
import Testing
import VirtualSoundCard

/// A virtual card that sleeps or stalls, in a time of its own.
@Suite(.timeLimit(.minutes(1))) struct TroubledCardTests {
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

  @Test func `a driver that takes two seconds to resume is waited for, and nothing is left out`()
    async throws
  {
    let deck = Deck(
      faults: [.suspended(at: 1_600, lost: 800, resuming: .seconds(2))])
    let playing = await deck.start(PlaybackRequest(source: .buffers([tone])))
    await deck.clock.advance(by: .milliseconds(500 + 100 + 250 + 25) + .seconds(2))
    try await playing.value
    #expect(deck.events.contains(.xrun(.milliseconds(2_100))))
    #expect(deck.events.last == completed)
    #expect(deck.played.starts(with: tone.samples))
    #expect(deck.openDeviceCount == 0)
  }

  @Test func `a driver that cannot resume loses what it held, and the rest is heard`()
    async throws
  {
    let deck = Deck(faults: [.suspended(at: 1_600, lost: 800, isEmptied: true)])
    let sound = staircase(4_000).samples
    let playing = await deck.start(PlaybackRequest(source: .buffers([staircase(4_000)])))
    try await deck.finish(playing)
    #expect(deck.events.contains(.xrun(.milliseconds(100))))
    #expect(deck.events.last == completed)
    // Up to a buffer is lost, where the machine slept and nowhere else.
    let back = deck.played.dropFirst(1_600).first
    let lost = Int(((back ?? 0) - 0.25) * 65_536) - 1_600
    #expect((1...800).contains(lost), "\(lost)")
    let isBefore = deck.played.starts(with: sound[..<1_600])
    let isAfter = deck.hasPlayed(Array(sound[(1_600 + lost)...]))
    #expect(isBefore && isAfter)
    #expect(deck.openDeviceCount == 0)
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

  @Test func `a card that stalls is lost, and closed`() async throws {
    let deck = Deck(faults: [.stalled(at: 1_600)])
    let playing = await deck.start(PlaybackRequest(source: .buffers([tone])))
    // A second is enough, but for a machine that is too busy to say that its waits were in time.
    await deck.clock.advance(by: .seconds(10))
    await #expect(throws: AudioPlayerError.deviceLost("virtual")) { try await playing.value }
    while deck.openDeviceCount > 0 { await Task.yield() }
  }

  @Test func `who waits for a card that stalls goes on when it is opened again`() async throws {
    let deck = Deck(faults: [.stalled(at: 3_000)])
    let sound = staircase(4_000)
    let playing = await deck.start(
      PlaybackRequest(source: .buffers([sound]), onDeviceLoss: .wait(atMost: .seconds(60))))
    await deck.pass { $0 == .deviceLost }
    await deck.pass { $0.gap != nil }
    try await deck.finish(playing)
    #expect(deck.events.last == completed)
    while deck.openDeviceCount > 0 { await Task.yield() }
  }

  @Test func `a card that is never ready is given up, and closed`() async throws {
    let card = VirtualSoundCard(.init(pace: .untimed, faults: [.neverReady]))
    await #expect(throws: AudioPlayerError.deviceLost("virtual")) { try await play(on: card) }
    while card.openDeviceCount > 0 { await Task.yield() }
  }

  @Test(arguments: [1_600, 3_800])
  func `a sound server that hangs up is lost, also while the last frames are heard`(
    frame: Int
  ) async throws {
    let deck = Deck(faults: [.hungUp(at: FrameCount(frame))])
    let playing = await deck.start(PlaybackRequest(source: .buffers([tone])))
    await deck.clock.advance(by: .seconds(1))
    await #expect(throws: AudioPlayerError.deviceLost("virtual")) { try await playing.value }
    while deck.openDeviceCount > 0 { await Task.yield() }
  }

  @Test func `who waits for a sound server goes on when it is back, though others come first`()
    async throws
  {
    let deck = Deck(faults: [.hungUp(at: 1_600)])
    let sound = staircase(4_000)
    let playing = await deck.start(
      PlaybackRequest(source: .buffers([sound]), onDeviceLoss: .wait(atMost: .seconds(60))))
    await deck.pass { $0 == .deviceLost }
    await deck.pass { $0.gap != nil }
    try await deck.finish(playing)
    let gaps = deck.events.compactMap(\.gap)
    #expect(gaps.count == 1 && gaps[0] >= .seconds(1), "\(gaps)")
    let first = deck.card.played[0].samples
    let second = deck.card.played[1].samples
    let isBeginning = sound.samples.starts(with: first)
    let tail = Array(sound.samples.suffix(2_400))
    #expect(isBeginning && second.range(of: tail) != nil)
    #expect(deck.events.last == completed)
    while deck.openDeviceCount > 0 { await Task.yield() }
  }

  @Test func `a card that is unplugged while its last frames are heard is lost`() async throws {
    let clock = TestClock()
    let card = VirtualSoundCard(.init(pace: .lockstep(clock), faults: [.unplugged(at: 3_800)]))
    let playing = Task { try await play(on: card) }
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: .seconds(1))
    await #expect(throws: AudioPlayerError.deviceLost("virtual")) { try await playing.value }
    while card.openDeviceCount > 0 { await Task.yield() }
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
