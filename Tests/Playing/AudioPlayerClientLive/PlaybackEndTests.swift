import AudioCore
import AudioPlayerClient
import AudioThreads
import ClientDependencies
import Foundation
import SoundCard
import Testing
import VirtualSoundCard

/// Playbacks that are stopped, canceled, or abandoned, or that fail.
@Suite(.fewAtATime) struct PlaybackEndTests {
  let format = AudioFormat(sampleRate: 8_000, channelCount: 2)
  var tone: AudioBuffer { AudioSignal.sine(440).buffer(.milliseconds(500), format: format) }

  @Test(arguments: [0, 130, 499])
  func `a canceled playback fades out within the buffer and without a click`(
    milliseconds: Int
  ) async throws {
    let clock = TestClock()
    let card = VirtualSoundCard(pace: .lockstep(clock))
    let steady = AudioSignal { _, _ in 0.5 }.buffer(.seconds(5), format: format)
    await withPlayer(on: card) { player in
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
    // The fade of 10 ms at 8 kHz has 80 steps.
    #expect(steps.max() ?? 0 <= 0.5 / 80 + 1e-6)
    #expect(played.last ?? 0 == 0)
    #expect(played.count < (milliseconds + 250) * 8)
    #expect(card.openDeviceCount == 0)
  }

  @Test func `stop ends a playback with a finished event and its reason`() async throws {
    let clock = TestClock()
    let card = VirtualSoundCard(pace: .lockstep(clock))
    let request = PlaybackRequest(source: .buffers([tone]), repetition: .forever)
    let events = try await withPlayer(on: card) { player in
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

  @Test func `canceling play fades the sound out and throws`() async throws {
    let clock = TestClock()
    let card = VirtualSoundCard(pace: .lockstep(clock))
    let file = try temporaryWAV(AudioSignal.sine(300).buffer(.seconds(5), format: format))
    await withPlayer(on: card) { player in
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

  @Test func `an unplugged device ends every playback with an error that names the device`() async {
    let clock = TestClock()
    let card = VirtualSoundCard(pace: .lockstep(clock), faults: [.unplugged(at: 800)])
    await #expect(throws: AudioPlayerError.deviceLost("virtual")) {
      try await withPlayer(on: card) { player in
        let stream = await player.playback(request: .init(source: .buffers([tone])))
        let events = Task { try await stream.reduce(into: []) { $0.append($1) } }
        await clock.sleepers(atLeast: 1)
        await clock.advance(by: .seconds(10))
        _ = try await events.value
      }
    }
    while card.openDeviceCount > 0 { await Task.yield() }
  }

  @Test func `the error of a missing device names the device`() async {
    let unknown = AudioPlayerError.device(
      "hw:9", reason: "\(SoundCardError.unknownDevice("hw:9", .playback))")
    await #expect(throws: unknown) {
      try await play(
        .init(source: .buffers([tone]), device: "hw:9"), on: VirtualSoundCard())
    }
  }

  @Test func `empty sources and repeated streams are refused before a device opens`() async {
    let card = VirtualSoundCard(pace: .untimed)
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

  @Test func `an error of the source is thrown after its audio has been played`() async throws {
    struct Broken: Error {}
    let card = VirtualSoundCard(pace: .untimed)
    let (stream, continuation) = AsyncThrowingStream<AudioBuffer, any Error>.makeStream()
    continuation.yield(tone)
    continuation.finish(throwing: Broken())
    await #expect(throws: AudioPlayerError.source(nil, reason: "Broken()")) {
      try await play(.init(source: .stream(stream)), on: card)
    }
    #expect(
      card.played.first?.samples.prefix(tone.samples.count).elementsEqual(tone.samples) == true)
  }

  @Test func `a playback canceled before its first audio leaves no stream or device open`()
    async throws
  {
    let card = VirtualSoundCard(pace: .untimed)
    let (stream, continuation) = AsyncThrowingStream<AudioBuffer, any Error>.makeStream()
    let gone = Gate()
    continuation.onTermination = { _ in gone.open() }
    await withPlayer(on: card) { player in
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
}
