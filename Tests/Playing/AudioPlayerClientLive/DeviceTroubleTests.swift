import AudioCore
import AudioPlayerClient
import AudioPlayerClientLive
import ClientDependencies
import SoundCard
import Testing
import VirtualSoundCard

/// A virtual card that sleeps or stalls, in its own time.
@Suite(.fewAtATime, .timeLimit(.minutes(5))) struct DeviceTroubleTests {
  let format = AudioFormat(sampleRate: 8_000, channelCount: 1)
  var tone: AudioBuffer { AudioSignal.sine(440).buffer(.milliseconds(500), format: format) }
  let completed = PlaybackEvent.finished(
    PlaybackFinish(reason: .completed, played: .milliseconds(500)))

  @Test func `after the machine slept, an xrun is reported and the sound plays to its end`()
    async throws
  {
    let card = VirtualSoundCard(
      pace: .untimed, faults: [.suspended(at: 1_600, lost: 800)])
    let events = try await play(on: card)
    #expect(events.contains(.xrun(.milliseconds(100))))
    #expect(events.last == completed)
    #expect(card.played.first?.samples.starts(with: tone.samples) == true)
    #expect(card.openDeviceCount == 0)
  }

  @Test func `a driver that takes two seconds to resume loses no frame`()
    async throws
  {
    let harness = PlayerHarness(
      faults: [.suspended(at: 1_600, lost: 800, resuming: .seconds(2))])
    let playing = await harness.start(PlaybackRequest(source: .buffers([tone])))
    await harness.clock.advance(by: .milliseconds(500 + 100 + 250 + 25) + .seconds(2))
    try await playing.value
    #expect(harness.events.contains(.xrun(.milliseconds(2_100))))
    #expect(harness.events.last == completed)
    #expect(harness.played.starts(with: tone.samples))
    #expect(harness.openDeviceCount == 0)
  }

  @Test func `if a driver cannot resume after a suspend, only the frames in the device are lost`()
    async throws
  {
    let harness = PlayerHarness(faults: [.suspended(at: 1_600, lost: 800, isEmptied: true)])
    let sound = staircase(4_000).samples
    let playing = await harness.start(PlaybackRequest(source: .buffers([staircase(4_000)])))
    try await harness.finish(playing)
    #expect(harness.events.contains(.xrun(.milliseconds(100))))
    #expect(harness.events.last == completed)
    // Only the frames that the device held during the sleep are lost, at most one buffer.
    let back = harness.played.dropFirst(1_600).first
    let lost = Int(((back ?? 0) - 0.25) * 65_536) - 1_600
    #expect((1...800).contains(lost), "\(lost)")
    let isBefore = harness.played.starts(with: sound[..<1_600])
    let isAfter = harness.hasPlayed(Array(sound[(1_600 + lost)...]))
    #expect(isBefore && isAfter)
    #expect(harness.openDeviceCount == 0)
  }

  @Test func `a playback completes even if the device stalls with the last frames in its buffer`()
    async throws
  {
    let card = VirtualSoundCard(pace: .untimed, faults: [.stalled(at: 3_900)])
    let events = try await play(on: card)
    #expect(events.last == completed)
    #expect(card.openDeviceCount == 0)
  }

  @Test(.timeLimit(.minutes(5)))
  func `a stalled drain ends within the device's buffer plus 250 ms`()
    async throws
  {
    let clock = TestClock()
    let card = VirtualSoundCard(pace: .lockstep(clock), faults: [.stalled(at: 3_900)])
    let playing = Task { try await play(on: card) }
    await clock.sleepers(atLeast: 1)
    // 500 ms of sound, the buffer of four periods, the grace period of 250 ms, and the period in
    // which the end is detected.
    await clock.advance(by: .milliseconds(500 + 100 + 250 + 25))
    #expect(try await playing.value.last == completed)
  }

  @Test func `a stalled device is reported as lost and closed`() async throws {
    let harness = PlayerHarness(faults: [.stalled(at: 1_600)])
    let playing = await harness.start(PlaybackRequest(source: .buffers([tone])))
    // A second is enough, unless the machine is so busy that waits end late.
    await harness.clock.advance(by: .seconds(10))
    await #expect(throws: AudioPlayerError.deviceLost("virtual")) { try await playing.value }
    while harness.openDeviceCount > 0 { await Task.yield() }
  }

  @Test func `a sound waiting for a stalled device resumes when the device is opened again`()
    async throws
  {
    let harness = PlayerHarness(faults: [.stalled(at: 3_000)])
    let sound = staircase(4_000)
    let playing = await harness.start(
      PlaybackRequest(source: .buffers([sound]), onDeviceLoss: .wait(atMost: .seconds(60))))
    await harness.pass { $0 == .deviceLost }
    await harness.pass { $0.gap != nil }
    try await harness.finish(playing)
    #expect(harness.events.last == completed)
    while harness.openDeviceCount > 0 { await Task.yield() }
  }

  @Test func `a device that is never ready is reported as lost and closed`() async throws {
    let card = VirtualSoundCard(pace: .untimed, faults: [.neverReady])
    await #expect(throws: AudioPlayerError.deviceLost("virtual")) { try await play(on: card) }
    while card.openDeviceCount > 0 { await Task.yield() }
  }

  @Test(arguments: [1_600, 3_800])
  func `a sound server that hangs up is reported as lost, even during the last frames`(
    frame: Int
  ) async throws {
    let harness = PlayerHarness(faults: [.hungUp(at: FrameCount(frame))])
    let playing = await harness.start(PlaybackRequest(source: .buffers([tone])))
    await harness.clock.advance(by: .seconds(1))
    await #expect(throws: AudioPlayerError.deviceLost("virtual")) { try await playing.value }
    while harness.openDeviceCount > 0 { await Task.yield() }
  }

  @Test func `a sound waiting for a sound server resumes after failed attempts to reconnect`()
    async throws
  {
    let harness = PlayerHarness(faults: [.hungUp(at: 1_600)])
    let sound = staircase(4_000)
    let playing = await harness.start(
      PlaybackRequest(source: .buffers([sound]), onDeviceLoss: .wait(atMost: .seconds(60))))
    await harness.pass { $0 == .deviceLost }
    await harness.pass { $0.gap != nil }
    try await harness.finish(playing)
    let gaps = harness.events.compactMap(\.gap)
    #expect(gaps.count == 1 && gaps[0] >= .seconds(1), "\(gaps)")
    let first = harness.card.played[0].samples
    let second = harness.card.played[1].samples
    let isBeginning = sound.samples.starts(with: first)
    let tail = Array(sound.samples.suffix(2_400))
    #expect(isBeginning && second.range(of: tail) != nil)
    #expect(harness.events.last == completed)
    while harness.openDeviceCount > 0 { await Task.yield() }
  }

  @Test func `a device unplugged during its last frames ends the playback with deviceLost`()
    async throws
  {
    let clock = TestClock()
    let card = VirtualSoundCard(pace: .lockstep(clock), faults: [.unplugged(at: 3_800)])
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
