import AudioCore
import AudioPlayerClient
import AudioPlayerClientLive
import AudioThreads
import ClientDependencies
import Foundation
import SoundCard
import Testing
import VirtualSoundCard

@Suite(.fewAtATime, .timeLimit(.minutes(5))) struct PreloadedSoundTests {
  let format = AudioFormat(sampleRate: 48_000, channelCount: 2)
  var chime: AudioBuffer {
    AudioSignal.noise(seed: 5, amplitude: 0.25).buffer(.milliseconds(300), format: format)
  }

  @Test func `a preloaded sound is played sample by sample, any number of times`()
    async throws
  {
    let card = VirtualSoundCard(pace: .untimed)
    try await with(card) { player in
      let sound = try await player.preload(source: .buffers([chime, chime]))
      #expect(sound.duration == .milliseconds(600))
      #expect(card.openDeviceCount == 1)
      let request = PlaybackRequest(source: .preloaded(sound), repetition: .times(2))
      for try await _ in await player.playback(request: request) {}
      for try await _ in await player.playback(request: request) {}
      #expect(card.openDeviceCount == 1)
    }
    let expected = (0..<4).flatMap { _ in chime.samples }
    #expect(card.played.count == 1)
    #expect(card.played.first?.samples.prefix(expected.count).elementsEqual(expected) == true)
    #expect(card.played.first.map { $0.samples.count >= 2 * expected.count } == true)
  }

  @Test func `a device stays open as long as a sound is preloaded for it, but not longer`()
    async throws
  {
    let card = VirtualSoundCard(pace: .untimed)
    try await with(card) { player in
      var sound: PreloadedSound? = try await player.preload(source: .buffers([chime]))
      let copy = try #require(sound)
      sound = nil
      // If the device were released, it would be closed during these two playbacks.
      for _ in 0..<2 {
        for try await _ in await player.playback(request: .init(source: .preloaded(copy))) {}
      }
      #expect(card.openDeviceCount == 1)
      #expect(card.played.count == 1)
      withExtendedLifetime(copy) {}
    }
    while card.openDeviceCount > 0 { await Task.yield() }
  }

  @Test
  func `a sound preloaded from another sound keeps the device open after the original is released`()
    async throws
  {
    let card = VirtualSoundCard(pace: .untimed)
    try await with(card) { player in
      var first: PreloadedSound? = try await player.preload(source: .buffers([chime]))
      let second = try await player.preload(
        source: .preloaded(try #require(first)), latency: .low)
      first = nil
      // If the device were released, it would be closed during these two playbacks.
      for _ in 0..<2 {
        for try await _ in await player.playback(request: .init(source: .preloaded(second))) {}
      }
      #expect(card.openDeviceCount == 1)
      #expect(card.played.count == 1)
      withExtendedLifetime(second) {}
    }
    while card.openDeviceCount > 0 { await Task.yield() }
  }

  @Test func `a preload with low latency opens its device with low latency`() async throws {
    let card = VirtualSoundCard(pace: .untimed)
    try await with(card) { player in
      let sound = try await player.preload(source: .buffers([chime]), latency: .low)
      let stream = await player.playback(request: .init(source: .preloaded(sound)))
      guard case .started(let start) = try await stream.first(where: { _ in true }) else {
        throw NotStarted()
      }
      #expect(start.settings?.period == FrameCount(.milliseconds(5), at: 48_000))
    }
  }

  @Test func `a source that cannot be preloaded is an error and leaves no device open`()
    async throws
  {
    let card = VirtualSoundCard(pace: .untimed)
    struct Broken: Error {}
    let chime = chime
    let stream = AsyncThrowingStream<AudioBuffer, any Error> { continuation in
      continuation.yield(chime)
      continuation.finish(throwing: Broken())
    }
    await #expect(throws: AudioPlayerError.source(nil, reason: "Broken()")) {
      try await with(card) { _ = try await $0.preload(source: .stream(stream)) }
    }
    await #expect(throws: AudioPlayerError.emptySource(nil)) {
      try await with(card) { _ = try await $0.preload(source: .buffers([])) }
    }
    await #expect(throws: AudioPlayerError.self) {
      try await with(card) { _ = try await $0.preload(source: .buffers([chime]), device: "hw:9") }
    }
    while card.openDeviceCount > 0 { await Task.yield() }
  }

  @Test func `a preloaded sound can be played on another device`() async throws {
    let first = VirtualSoundCard(pace: .untimed)
    let second = VirtualSoundCard(pace: .untimed)
    let sound = try await with(first) { try await $0.preload(source: .buffers([chime])) }
    try await with(second) { player in
      for try await _ in await player.playback(request: .init(source: .preloaded(sound))) {}
    }
    #expect(first.played.first?.samples.isEmpty == true)
    #expect(
      second.played.first?.samples.prefix(chime.samples.count).elementsEqual(chime.samples) == true)
  }

  @Test(arguments: [8_000, 16_000] as [SampleRate])
  func `NaN and infinite samples of a preloaded sound do not affect other samples`(
    rate: SampleRate
  ) async throws {
    var samples = [Float](repeating: 0.25, count: rate.hertz / 2)
    samples[samples.count / 2] = .nan
    let broken = AudioBuffer(
      format: AudioFormat(sampleRate: rate, channelCount: 1), samples: samples)
    let card = VirtualSoundCard(pace: .untimed, sampleRate: 8_000)
    let sound = try await with(card) { try await $0.preload(source: .buffers([broken])) }
    let loaded = sound.buffers.flatMap(\.samples)
    #expect(loaded.count == 4_000 && loaded.allSatisfy(\.isFinite))
    #expect(loaded.count { abs($0 - 0.25) > 0.05 } < 100)
  }

  @Test(arguments: [8_000, 16_000] as [SampleRate])
  func `silenced samples of a preloaded sound are reported each time the sound is played`(
    rate: SampleRate
  ) async throws {
    var samples = [Float](repeating: 0.25, count: rate.hertz * 2)
    (samples[0], samples[5_000]) = (.nan, .nan)
    samples[samples.count - 1] = .infinity
    let broken = AudioBuffer(
      format: AudioFormat(sampleRate: rate, channelCount: 1), samples: samples)
    let card = VirtualSoundCard(pace: .untimed, sampleRate: 8_000)
    let events = try await with(card) { player in
      let sound = try await player.preload(source: .buffers([broken]))
      let again = try await player.preload(source: .preloaded(sound))
      let stream = await player.playback(
        request: PlaybackRequest(source: .preloaded(again), repetition: .times(2)))
      return try await stream.reduce(into: []) { $0.append($1) }
    }
    let counts = events.map { if case .nonFinite(let count) = $0 { count } else { 0 } }
    #expect(counts.reduce(0, +) == 2 * 3, "\(counts)")
    #expect(events.last?.finish?.reason == .completed)
  }

  @Test func `silenced samples of a preloaded sound are counted in the buffer that contained them`()
    async throws
  {
    let format = AudioFormat(sampleRate: 8_000, channelCount: 1)
    let whole = AudioBuffer(format: format, samples: [Float](repeating: 0.25, count: 800))
    var samples = whole.samples
    samples[100] = .nan
    let broken = AudioBuffer(format: format, samples: samples)
    let card = VirtualSoundCard(pace: .untimed, sampleRate: 8_000)
    let sound = try await with(card) { try await $0.preload(source: .buffers([broken, whole])) }
    #expect(sound.buffers.map(\.silencedSampleCount) == [1, 0])
  }

  @Test func `the error for a file too short for one frame at the device's rate names the file`()
    async throws
  {
    let frame = AudioBuffer(
      format: AudioFormat(sampleRate: 48_000, channelCount: 1), samples: [0.25])
    let file = try temporaryWAV(frame)
    defer { try? FileManager.default.removeItem(at: file) }
    let card = VirtualSoundCard(pace: .untimed, sampleRate: 8_000)
    await #expect(throws: AudioPlayerError.emptySource(file)) {
      try await with(card) { _ = try await $0.preload(source: .file(file)) }
    }
  }

  @Test func `a preloaded sound can be played after its device was lost`() async throws {
    let card = VirtualSoundCard(pace: .untimed, faults: [.unplugged(at: 20_000)])
    try await with(card) { player in
      let sound = try await player.preload(source: .buffers([chime]))
      let request = PlaybackRequest(source: .preloaded(sound))
      for try await _ in await player.playback(request: request) {}
      await #expect(throws: AudioPlayerError.deviceLost("virtual")) {
        for try await _ in await player.playback(request: request) {}
      }
      for try await _ in await player.playback(request: request) {}
    }
    #expect(card.played.count == 2)
  }

  @Test func `a preloaded sound can be preloaded again after its device was lost`() async throws {
    let card = VirtualSoundCard(pace: .untimed, faults: [.unplugged(at: 2_000)])
    try await with(card) { player in
      let sound = try await player.preload(source: .buffers([chime]))
      let same = try await player.preload(source: .preloaded(sound))
      #expect(card.played.count == 1)
      await #expect(throws: AudioPlayerError.deviceLost("virtual")) {
        for try await _ in await player.playback(request: .init(source: .preloaded(sound))) {}
      }
      let again = try await player.preload(source: .preloaded(sound))
      #expect(card.played.count == 2)
      #expect(again.buffers.flatMap(\.samples) == chime.samples)
      withExtendedLifetime((same, again)) {}
    }
  }

  @Test func `preloading a sound that was created from buffers opens the device`() async throws {
    let card = VirtualSoundCard(pace: .untimed)
    try await with(card) { player in
      let sound = try await player.preload(
        source: .preloaded(PreloadedSound(buffers: [chime])))
      #expect(card.openDeviceCount == 1)
      withExtendedLifetime(sound) {}
    }
  }

  @Test func `a file shorter than its header says is reported when it has been played`()
    async throws
  {
    let file = try temporaryWAV(chime)
    defer { try? FileManager.default.removeItem(at: file) }
    let handle = try FileHandle(forUpdating: file)
    try handle.truncate(atOffset: try handle.seekToEnd() / 2)
    try handle.close()
    let card = VirtualSoundCard(pace: .untimed)
    let events = try await with(card) { player in
      let sound = try await player.preload(source: .file(file))
      let again = try await player.preload(source: .preloaded(sound))
      let stream = await player.playback(request: .init(source: .preloaded(again)))
      return try await stream.reduce(into: []) { $0.append($1) }
    }
    let shortfalls = events.compactMap { event -> [Duration]? in
      guard case .shortfall(0, let announced?, let decoded) = event else { return nil }
      return [announced, decoded]
    }
    let shortfall = try #require(shortfalls.first)
    #expect(shortfalls.count == 1)
    #expect(shortfall[0] == .milliseconds(300))
    #expect(events.last?.finish?.played == shortfall[1] && shortfall[1] < .milliseconds(160))
  }

  @Test func `no shortfall is reported before the end of a truncated file`() async throws {
    let sound = PreloadedSound(
      buffers: [chime], device: nil, hold: nil,
      shortfall: (announced: .seconds(1), decoded: .milliseconds(300)))
    let events = try await with(VirtualSoundCard(pace: .untimed)) { player in
      let request = PlaybackRequest(
        source: .preloaded(sound), range: PlaybackRange(end: .time(.milliseconds(200))))
      let stream = await player.playback(request: request)
      return try await stream.reduce(into: []) { $0.append($1) }
    }
    let isTold = events.contains { if case .shortfall = $0 { true } else { false } }
    #expect(events.last?.finish?.reason == .completed && !isTold)
  }

  private struct NotStarted: Error {}

  private func with<Value: Sendable>(
    _ card: VirtualSoundCard, _ body: (AudioPlayerClient) async throws -> Value
  ) async throws -> Value {
    try await withDependencies {
      $0.soundCard = card.soundCard
    } operation: {
      try await body(AudioPlayerClient.liveValue)
    }
  }
}
