import AudioCore
import AudioPlayerClient
import AudioPlayerClientLive
import AudioThreads
import ClientDependencies
import Foundation
import SoundCard
import Testing
import VirtualSoundCard

@Suite struct AudioPlayerLiveTests {
  let format = AudioFormat(sampleRate: 8_000, channelCount: 2)
  var tone: AudioBuffer { AudioSignal.sine(440).buffer(.milliseconds(500), format: format) }

  @Test func `buffers are played sample by sample, and silence only fills the last period`()
    async throws
  {
    let card = VirtualSoundCard(.init(pace: .untimed))
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
            heard: FrameCount(expected.count / 2).duration(at: format.sampleRate))))
    #expect(card.openDeviceCount == 0)
  }

  @Test func `a sound of one frame is heard`() async throws {
    let card = VirtualSoundCard(.init(pace: .untimed))
    let click = AudioSignal.impulse().buffer(1, format: format)
    try await play(.init(source: .buffers([click])), on: card)
    #expect(card.played.first?.samples.prefix(2) == [1, 1])
  }

  @Test func `repetitions join without a missing or a doubled sample`() async throws {
    let card = VirtualSoundCard(.init(pace: .untimed))
    let request = PlaybackRequest(source: .buffers([tone]), repetition: .times(3))
    try await play(request, on: card)
    let expected = tone.samples + tone.samples + tone.samples
    #expect(card.played.first?.samples.prefix(expected.count).elementsEqual(expected) == true)
  }

  @Test func `a source of another rate is converted to the card's`() async throws {
    let card = VirtualSoundCard(.init(pace: .untimed, sampleRate: 48_000))
    try await play(.init(source: .buffers([tone])), on: card)
    let played = try #require(card.played.first)
    #expect(played.format == AudioFormat(sampleRate: 48_000, channelCount: 2))
    let reference = AudioSignal.sine(440).buffer(.milliseconds(500), format: played.format)
    let middle = 4_800..<43_200
    let error = zip(played.samples[middle], reference.samples[middle]).map { abs($0 - $1) }.max()
    #expect(try #require(error) < 1e-4)
  }

  @Test func `a stream is played as it comes`() async throws {
    let card = VirtualSoundCard(.init(pace: .untimed))
    let (stream, continuation) = AsyncThrowingStream<AudioBuffer, any Error>.makeStream()
    continuation.yield(tone)
    continuation.yield(AudioBuffer(silence: 0, format: format))
    continuation.yield(tone)
    continuation.finish()
    try await play(.init(source: .stream(stream)), on: card)
    let expected = tone.samples + tone.samples
    #expect(card.played.first?.samples.prefix(expected.count).elementsEqual(expected) == true)
  }

  @Test func `the volume of a request and that of the client multiply`() async throws {
    let card = VirtualSoundCard(.init(pace: .untimed))
    try await with(card) { player in
      await player.setVolume(volume: 0.5)
      let request = PlaybackRequest(source: .buffers([tone]), volume: 0.5)
      for try await _ in await player.playback(request: request) {}
    }
    let played = try #require(card.played.first)
    #expect(played.samples.prefix(1_000).elementsEqual(tone.samples.prefix(1_000).map { $0 / 4 }))
  }

  @Test func `two sounds mix, each with all its samples`() async throws {
    let clock = TestClock()
    let card = VirtualSoundCard(.init(pace: .lockstep(clock)))
    let low = AudioSignal.sine(100, amplitude: 0.25).buffer(.seconds(5), format: format)
    let high = AudioSignal.sine(900, amplitude: 0.25).buffer(.milliseconds(300), format: format)
    try await with(card) { player in
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
    let heard = rest[start...].prefix(high.frameCount.rawValue)
    let error = zip(heard, high.channel(0)).map { abs($0 - $1) }.max()
    #expect(try #require(error) < 1e-6)
  }

  @Test func `progress follows what has been heard and never goes back`() async throws {
    let clock = TestClock()
    let card = VirtualSoundCard(.init(pace: .lockstep(clock)))
    let events = try await with(card) { player in
      let stream = await player.playback(request: .init(source: .buffers([tone])))
      let events = Task { try await stream.reduce(into: []) { $0.append($1) } }
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .seconds(1))
      return try await events.value
    }
    let heard = events.compactMap(\.heard)
    #expect(heard == heard.sorted())
    #expect(heard.last == .milliseconds(500))
    // 20 a second at most, but for the last one.
    for (earlier, later) in zip(heard, heard.dropLast().dropFirst()) {
      #expect(later - earlier >= .milliseconds(50))
    }
  }

  @Test func `progress is told as seldom as it is asked for, and once at the end`() async throws {
    let card = VirtualSoundCard(.init(pace: .untimed))
    let long = AudioSignal.silence.buffer(.seconds(9), format: format)
    let events = try await play(
      .init(source: .buffers([long]), progressInterval: .seconds(2)), on: card)
    let heard = events.compactMap(\.heard)
    #expect(heard.last == .seconds(9))
    // One every two seconds, one at each end, and what other news brings along.
    #expect(heard.count <= 8)
  }

  @Test(arguments: [0, 130, 499])
  func `a playback that is cancelled fades out within the buffer and without a click`(
    milliseconds: Int
  ) async throws {
    let clock = TestClock()
    let card = VirtualSoundCard(.init(pace: .lockstep(clock)))
    let steady = AudioSignal { _, _ in 0.5 }.buffer(.seconds(5), format: format)
    await with(card) { player in
      let stream = await player.playback(request: .init(source: .buffers([steady])))
      let events = Task { for try await _ in stream {} }
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .milliseconds(milliseconds))
      events.cancel()
      await clock.advance(by: .seconds(5))
      await player.stop()
    }
    let played = try #require(card.played.first).channel(0)
    let steps = zip(played.dropFirst(), played).map { abs($0 - $1) }
    // 10 ms at 8 kHz are 80 steps.
    #expect(steps.max() ?? 0 <= 0.5 / 80 + 1e-6)
    #expect(played.last ?? 0 == 0)
    #expect(played.count < (milliseconds + 250) * 8)
    #expect(card.openDeviceCount == 0)
  }

  @Test func `stop ends what sounds with an event that says so`() async throws {
    let clock = TestClock()
    let card = VirtualSoundCard(.init(pace: .lockstep(clock)))
    let request = PlaybackRequest(source: .buffers([tone]), repetition: .forever)
    let events = try await with(card) { player in
      let stream = await player.playback(request: request)
      let events = Task { try await stream.reduce(into: []) { $0.append($1) } }
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .seconds(1))
      async let stopped: Void = player.stop()
      await clock.advance(by: .seconds(3_600))
      await stopped
      return try await events.value
    }
    guard case .finished(let finish) = events.last else { throw Missing() }
    #expect(finish.reason == .stopped)
    #expect(card.openDeviceCount == 0)
  }

  @Test func `cancelling play fades the sound out and throws`() async throws {
    let clock = TestClock()
    let card = VirtualSoundCard(.init(pace: .lockstep(clock)))
    let file = try temporaryWAV(AudioSignal.sine(300).buffer(.seconds(5), format: format))
    await with(card) { player in
      let playing = Task { try await player.loop(url: file) }
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .milliseconds(100))
      playing.cancel()
      await clock.advance(by: .seconds(10))
      await #expect(throws: CancellationError.self) { try await playing.value }
    }
    #expect(card.openDeviceCount == 0)
    #expect(card.played.first?.samples.suffix(2) == [0, 0])
  }

  @Test func `an xrun is an event, and the sound goes on`() async throws {
    let clock = TestClock()
    let card = VirtualSoundCard(
      .init(pace: .lockstep(clock), faults: [.xrun(at: 1_600, lost: 400)]))
    let events = try await with(card) { player in
      let stream = await player.playback(request: .init(source: .buffers([tone])))
      let events = Task { try await stream.reduce(into: []) { $0.append($1) } }
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .seconds(10))
      return try await events.value
    }
    #expect(events.contains(.xrun(.milliseconds(50))))
    #expect(
      events.last
        == .finished(PlaybackFinish(reason: .completed, heard: .milliseconds(500))))
  }

  @Test func `a device that is unplugged ends every playback with an error that names it`() async {
    let clock = TestClock()
    let card = VirtualSoundCard(.init(pace: .lockstep(clock), faults: [.unplugged(at: 800)]))
    await #expect(throws: AudioPlayerError.deviceLost("virtual")) {
      try await with(card) { player in
        let stream = await player.playback(request: .init(source: .buffers([tone])))
        let events = Task { try await stream.reduce(into: []) { $0.append($1) } }
        await clock.sleepers(atLeast: 1)
        await clock.advance(by: .seconds(10))
        _ = try await events.value
      }
    }
    #expect(card.openDeviceCount == 0)
  }

  @Test func `the device that is asked for and is not there is named in the error`() async {
    let unknown = AudioPlayerError.device(
      "hw:9", reason: "\(SoundCardError.unknownDevice("hw:9", .playback))")
    await #expect(throws: unknown) {
      try await play(
        .init(source: .buffers([tone]), device: "hw:9"), on: VirtualSoundCard())
    }
  }

  @Test func `sources that hold nothing or cannot repeat are refused before a device opens`() async
  {
    let card = VirtualSoundCard(.init(pace: .untimed))
    await #expect(throws: AudioPlayerError.emptySource(nil)) {
      try await play(.init(source: .buffers([])), on: card)
    }
    await #expect(throws: AudioPlayerError.emptySource(nil)) {
      try await play(.init(source: .stream(.finished())), on: card)
    }
    await #expect(throws: AudioPlayerError.streamCannotRepeat) {
      try await play(.init(source: .stream(.finished()), repetition: .forever), on: card)
    }
    await #expect(throws: AudioPlayerError.self) {
      try await play(.init(source: .file(URL(fileURLWithPath: "/nowhere.wav"))), on: card)
    }
    #expect(card.played.isEmpty)
  }

  @Test func `an error of the source is thrown after what it gave has been heard`() async throws {
    struct Broken: Error {}
    let card = VirtualSoundCard(.init(pace: .untimed))
    let (stream, continuation) = AsyncThrowingStream<AudioBuffer, any Error>.makeStream()
    continuation.yield(tone)
    continuation.finish(throwing: Broken())
    await #expect(throws: AudioPlayerError.source(nil, reason: "Broken()")) {
      try await play(.init(source: .stream(stream)), on: card)
    }
    #expect(
      card.played.first?.samples.prefix(tone.samples.count).elementsEqual(tone.samples) == true)
  }

  @Test func `a playback that is abandoned before its source gives anything leaves nothing behind`()
    async throws
  {
    let card = VirtualSoundCard(.init(pace: .untimed))
    let (stream, continuation) = AsyncThrowingStream<AudioBuffer, any Error>.makeStream()
    let gone = Gate()
    continuation.onTermination = { _ in gone.open() }
    await with(card) { player in
      let events = Task {
        for try await _ in await player.playback(request: .init(source: .stream(stream))) {}
      }
      events.cancel()
      _ = await events.result
      await player.stop()
    }
    await gone.wait()
    #expect(card.openDeviceCount == 0)
  }

  private struct Missing: Error {}

  private func with<Value: Sendable>(
    _ card: VirtualSoundCard,
    _ body: (AudioPlayerClient) async throws -> Value
  ) async rethrows -> Value {
    try await withDependencies {
      $0.soundCard = card.soundCard
    } operation: {
      try await body(AudioPlayerClient.liveValue)
    }
  }

  @discardableResult
  private func play(
    _ request: PlaybackRequest, on card: VirtualSoundCard
  ) async throws -> [PlaybackEvent] {
    try await with(card) { player in
      try await player.playback(request: request).reduce(into: []) { $0.append($1) }
    }
  }
}

extension PlaybackEvent {
  fileprivate var heard: Duration? {
    if case .progress(let progress) = self { progress.heard } else { nil }
  }
}

extension PlaybackEvent? {
  fileprivate var isStarted: Bool {
    if case .started = self { true } else { false }
  }
}
