import AudioCore
import AudioPlayerClient
import AudioPlayerClientLive
import ClientDependencies
import SoundCard
import Testing
import VirtualSoundCard

/// The time for which an idle device stays open, and the format of the device.
@Suite(.fewAtATime, .timeLimit(.minutes(5))) struct IdleEngineTests {
  let clock = TestClock()
  let card = VirtualSoundCard(pace: .untimed)
  let stereo = AudioSignal.sine(440).buffer(
    .milliseconds(100), format: AudioFormat(sampleRate: 48_000, channelCount: 2))

  @Test func `a device stays open for the idle time after its last sound, but not longer`()
    async throws
  {
    try await with { player in
      try await player.play(stereo)
      #expect(card.openDeviceCount == 1)
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .seconds(9))
      try await player.play(stereo)
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .seconds(9))
      #expect(card.openDeviceCount == 1)
      // The idle time of the second sound is still running, so `checkSuspension` throws. The idle
      // time of the first sound must have been canceled.
      await #expect(throws: SuspensionError.self) { try await clock.checkSuspension() }
      await clock.advance(by: .seconds(1))
      await closed()
    }
    #expect(card.played.count == 1)
  }

  @Test func `simultaneous and later sounds use one open device`()
    async throws
  {
    try await with { player in
      async let first: Void = player.play(stereo)
      async let second: Void = player.play(stereo)
      _ = try await (first, second)
      try await player.play(stereo)
    }
    #expect(card.played.count == 1)
  }

  @Test func `an idle device is opened again for another format or latency`() async throws {
    let slower = AudioFormat(sampleRate: 44_100, channelCount: 2)
    try await with { player in
      try await player.play(stereo)
      try await player.play(AudioSignal.sine(440).buffer(.milliseconds(100), format: slower))
      #expect(card.openDeviceCount == 1)
      try await player.play(stereo)
      let quick = PlaybackRequest(source: .buffers([stereo]), latency: .low)
      let start = try await player.playback(request: quick).first { _ in true }
      guard case .started(let start) = start else { throw NotStarted() }
      #expect(start.settings?.period == FrameCount(.milliseconds(5), at: 48_000))
      #expect(start.settings?.buffer == FrameCount(.milliseconds(15), at: 48_000))
    }
    #expect(card.played.map(\.format) == [stereo.format, slower, stereo.format, stereo.format])
  }

  @Test(
    arguments: [
      (8_000, 1, 48_000, 2), (11_025, 1, 44_100, 2), (16_000, 2, 48_000, 2), (22_050, 6, 44_100, 6),
      (44_100, 1, 44_100, 2), (96_000, 2, 96_000, 2),
    ] as [(SampleRate, Int, SampleRate, Int)])
  func `with an idle time, a device opens in a format that suits later sounds`(
    rate: SampleRate, channels: Int, openedRate: SampleRate, openedChannels: Int
  ) async throws {
    let sound = AudioSignal.sine(440).buffer(
      .milliseconds(10), format: AudioFormat(sampleRate: rate, channelCount: channels))
    try await with { try await $0.play(sound) }
    #expect(
      card.played.first?.format
        == AudioFormat(sampleRate: openedRate, channelCount: openedChannels))
  }

  @Test func `a request can set the device's format`() async throws {
    let format = AudioFormat(sampleRate: 16_000, channelCount: 1)
    let request = PlaybackRequest(source: .buffers([stereo]), deviceFormat: format)
    try await with { player in
      for try await _ in await player.playback(request: request) {}
    }
    #expect(card.played.map(\.format) == [format])
  }

  @Test
  func `without an idle time, a device opens in the sound's format and closes after the sound`()
    async throws
  {
    let format = AudioFormat(sampleRate: 16_000, channelCount: 1)
    try await with(idleTime: .zero) { player in
      try await player.play(AudioSignal.sine(440).buffer(.milliseconds(10), format: format))
      #expect(card.openDeviceCount == 0)
    }
    #expect(card.played.map(\.format) == [format])
  }

  @Test func `a player released while its device is idle leaves nothing open`() async throws {
    try await with { try await $0.play(stereo) }
    await closed()
  }

  private struct NotStarted: Error {}

  /// Polls until no device is open, because nothing reports the closing.
  private func closed() async {
    while card.openDeviceCount > 0 { await Task.yield() }
  }

  private func with(
    idleTime: Duration = .seconds(10), _ body: (AudioPlayerClient) async throws -> Void
  ) async throws {
    try await withDependencies {
      $0.soundCard = card.soundCard
      $0.continuousClock = clock
      $0.playbackIdleTime = idleTime
    } operation: {
      try await body(AudioPlayerClient.liveValue)
    }
  }
}

extension AudioPlayerClient {
  fileprivate func play(_ sound: AudioBuffer) async throws {
    for try await _ in await playback(request: PlaybackRequest(source: .buffers([sound]))) {}
  }
}
