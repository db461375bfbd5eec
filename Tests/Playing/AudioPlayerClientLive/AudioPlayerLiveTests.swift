import AudioCore
import AudioPlayerClient
import ClientDependencies
import SoundCard
import Testing
import VirtualSoundCard

@Suite(.fewAtATime) struct AudioPlayerLiveTests {
  let format = AudioFormat(sampleRate: 8_000, channelCount: 2)
  var tone: AudioBuffer { AudioSignal.sine(440).buffer(.milliseconds(500), format: format) }

  @Test
  func `buffers are played sample by sample, and only the last period is padded with silence`()
    async throws
  {
    let card = VirtualSoundCard(pace: .untimed)
    let noise = AudioSignal.noise(seed: 1).buffer(1_234, format: format)
    let events = try await play(.init(source: .buffers([tone, noise])), on: card)
    let played = try #require(card.played.first)
    let expected = tone.samples + noise.samples
    #expect(Array(played.samples.prefix(expected.count)) == expected)
    #expect(played.samples.dropFirst(expected.count).allSatisfy { $0 == 0 })
    #expect(played.samples.count - expected.count < 2 * 200)
    #expect(
      events.first
        == .started(
          PlaybackStart(
            device: "virtual", format: format,
            announcedDuration: tone.duration + noise.duration,
            settings: PCMConfiguration(
              device: "virtual", format: format, sampleFormat: .float32, period: 200, buffer: 800)))
    )
    #expect(
      events.last
        == .finished(
          PlaybackFinish(
            reason: .completed,
            played: FrameCount(expected.count / 2).duration(at: format.sampleRate))))
    #expect(card.openDeviceCount == 0)
  }

  @Test func `a sound of one frame is played`() async throws {
    let card = VirtualSoundCard(pace: .untimed)
    let click = AudioSignal.impulse().buffer(1, format: format)
    try await play(.init(source: .buffers([click])), on: card)
    #expect(card.played.first?.samples.prefix(2) == [1, 1])
  }

  @Test func `repetitions join without a missing or a doubled sample`() async throws {
    let card = VirtualSoundCard(pace: .untimed)
    let request = PlaybackRequest(source: .buffers([tone]), repetition: .times(3))
    try await play(request, on: card)
    let expected = tone.samples + tone.samples + tone.samples
    #expect(card.played.first?.samples.prefix(expected.count).elementsEqual(expected) == true)
  }

  @Test func `a source at another rate is converted to the device's rate`() async throws {
    let card = VirtualSoundCard(pace: .untimed, sampleRate: 48_000)
    try await play(.init(source: .buffers([tone])), on: card)
    let played = try #require(card.played.first)
    #expect(played.format == AudioFormat(sampleRate: 48_000, channelCount: 2))
    let reference = AudioSignal.sine(440).buffer(.milliseconds(500), format: played.format)
    let middle = 4_800..<43_200
    let error = zip(played.samples[middle], reference.samples[middle]).map { abs($0 - $1) }.max()
    #expect(try #require(error) < 1e-4)
  }

  @Test func `a stream is played as its buffers arrive`() async throws {
    let card = VirtualSoundCard(pace: .untimed)
    let (stream, continuation) = AsyncThrowingStream<AudioBuffer, any Error>.makeStream()
    continuation.yield(tone)
    continuation.yield(AudioBuffer(silence: 0, format: format))
    continuation.yield(tone)
    continuation.finish()
    try await play(.init(source: .stream(stream)), on: card)
    let expected = tone.samples + tone.samples
    #expect(card.played.first?.samples.prefix(expected.count).elementsEqual(expected) == true)
  }

  @Test func `the volumes of the request and the client are multiplied`() async throws {
    let card = VirtualSoundCard(pace: .untimed)
    try await withPlayer(on: card) { player in
      await player.setVolume(volume: 0.5)
      let request = PlaybackRequest(source: .buffers([tone]), volume: 0.5)
      for try await _ in await player.playback(request: request) {}
    }
    let played = try #require(card.played.first)
    #expect(played.samples.prefix(1_000).elementsEqual(tone.samples.prefix(1_000).map { $0 / 4 }))
  }

  @Test func `the gain of an item applies to that item alone`() async throws {
    let card = VirtualSoundCard(pace: .untimed)
    let items = [Decibels(0), Decibels(amplitude: 0.25), Decibels(.nan)].map {
      PlaybackItem(source: .buffers([tone]), gain: $0)
    }
    try await play(PlaybackRequest(items: items), on: card)
    let played = try #require(card.played.first).samples
    let expected = tone.samples + tone.samples.map { $0 / 4 } + tone.samples.map { _ in 0 }
    #expect(zip(played, expected).allSatisfy { abs($0 - $1) < 1e-6 })
    #expect(played.count >= expected.count)
  }

  @Test func `the mix of two sounds contains all samples of both`() async throws {
    let clock = TestClock()
    let card = VirtualSoundCard(pace: .lockstep(clock))
    let low = AudioSignal.sine(100, amplitude: 0.25).buffer(.seconds(5), format: format)
    let high = AudioSignal.sine(900, amplitude: 0.25).buffer(.milliseconds(300), format: format)
    try await withPlayer(on: card) { player in
      let background = await player.playback(request: .init(source: .buffers([low])))
      let first = Task { for try await _ in background {} }
      await clock.sleepers(atLeast: 1)
      while card.played.first?.isEmpty != false { await Task.yield() }
      let stream = await player.playback(request: .init(source: .buffers([high])))
      var events = stream.makeAsyncIterator()
      #expect(try await events.next().isStarted)
      await clock.advance(by: .seconds(6))
      while try await events.next() != nil {}
      try await first.value
    }
    #expect(card.played.count == 1)
    let played = try #require(card.played.first).channel(0)
    let rest = zip(played, low.channel(0)).map { $0 - $1 }
    let start = try #require(rest.firstIndex { abs($0) > 1e-6 }) - 1
    let second = rest[start...].prefix(high.frameCount.rawValue)
    let error = zip(second, high.channel(0)).map { abs($0 - $1) }.max()
    #expect(try #require(error) < 1e-6)
  }

  @Test func `progress follows the playhead and never decreases`() async throws {
    let clock = TestClock()
    let card = VirtualSoundCard(pace: .lockstep(clock))
    let events = try await withPlayer(on: card) { player in
      let stream = await player.playback(request: .init(source: .buffers([tone])))
      let events = Task { try await stream.reduce(into: []) { $0.append($1) } }
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .seconds(1))
      return try await events.value
    }
    let played = events.compactMap(\.played)
    #expect(played == played.sorted())
    #expect(played.last == .milliseconds(500))
    // At most 20 events a second, plus the last event.
    for (earlier, later) in zip(played, played.dropLast().dropFirst()) {
      #expect(later - earlier >= .milliseconds(50))
    }
  }

  @Test func `progress is reported at the requested interval and once at the end`() async throws {
    let card = VirtualSoundCard(pace: .untimed)
    let long = AudioSignal.silence.buffer(.seconds(9), format: format)
    let events = try await play(
      .init(source: .buffers([long]), progressInterval: .seconds(2)), on: card)
    let played = events.compactMap(\.played)
    #expect(played.last == .seconds(9))
    // Progress is reported every two seconds, at the start and the end, and with other events.
    #expect(played.count <= 8)
  }

  @Test func `an xrun is reported, and the sound continues`() async throws {
    let clock = TestClock()
    let card = VirtualSoundCard(
      pace: .lockstep(clock), faults: [.xrun(at: 1_600, lost: 400)])
    let events = try await withPlayer(on: card) { player in
      let stream = await player.playback(request: .init(source: .buffers([tone])))
      let events = Task { try await stream.reduce(into: []) { $0.append($1) } }
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .seconds(10))
      return try await events.value
    }
    #expect(events.contains(.xrun(.milliseconds(50))))
    #expect(
      events.last
        == .finished(PlaybackFinish(reason: .completed, played: .milliseconds(500))))
  }
}

extension PlaybackEvent {
  fileprivate var played: Duration? {
    if case .progress(let progress) = self { progress.played } else { nil }
  }
}

extension PlaybackEvent? {
  fileprivate var isStarted: Bool {
    if case .started = self { true } else { false }
  }
}
