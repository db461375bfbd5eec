import AudioCore
import AudioPlayerClient
import ClientDependencies
import Foundation
import Testing

@Suite struct AudioPlayerClientTests {
  let url = URL(fileURLWithPath: "nowhere.wav")
  let tone = AudioSignal.sine(440).buffer(
    .seconds(1), format: AudioFormat(sampleRate: 8_000, channelCount: 1))

  @Test
  func `a call of an unimplemented endpoint reports the endpoint's name, and throws if it can`()
    async
  {
    let player = AudioPlayerClient.testValue
    await expectIssue("AudioPlayerClient.play") {
      await #expect(throws: Unimplemented("AudioPlayerClient.play")) {
        try await player.play(url: url)
      }
    }
    await expectIssue("AudioPlayerClient.loop") {
      await #expect(throws: Unimplemented("AudioPlayerClient.loop")) {
        try await player.loop(url: url)
      }
    }
    await expectIssue("AudioPlayerClient.setVolume") { await player.setVolume(volume: 0.5) }
    await expectIssue("AudioPlayerClient.setBusVolume") {
      await player.setBusVolume(bus: .music, volume: 0.5)
    }
    await expectIssue("AudioPlayerClient.busVolume") {
      #expect(await player.busVolume(bus: .music) == 1)
    }
    await expectIssue("AudioPlayerClient.preload") {
      await #expect(throws: Unimplemented("AudioPlayerClient.preload")) {
        _ = try await player.preload(source: .file(url))
      }
    }
    await expectIssue("AudioPlayerClient.stop") { await player.stop() }
    await expectIssue("AudioPlayerClient.playback") {
      await #expect(throws: Unimplemented("AudioPlayerClient.playback")) {
        for try await _ in await player.playback(request: PlaybackRequest(source: .file(url))) {}
      }
    }
    await expectIssue("AudioPlayerClient.control") {
      await #expect(throws: Unimplemented("AudioPlayerClient.control")) {
        try await player.control(id: "a", command: .skip)
      }
    }
    await expectIssue("AudioPlayerClient.devices") {
      await #expect(throws: Unimplemented("AudioPlayerClient.devices")) {
        _ = try await player.devices()
      }
    }
  }

  @Test func `a preview lists one loudspeaker`() async throws {
    let devices = try await AudioPlayerClient.previewValue.devices()
    #expect(devices.map(\.id) == ["preview"])
    #expect(devices.allSatisfy { $0.isDefault && $0.directions == [.playback] })
  }

  @Test func `a preview stores each bus's volume, clamped to 0 to 1`() async {
    let player = AudioPlayerClient.previewValue
    await player.setBusVolume(bus: .music, volume: 0.25)
    await player.setBusVolume(bus: .effects, volume: 7)
    await player.setBusVolume(bus: "speech", volume: .nan)
    let volumes = [await player.busVolume(bus: .music), await player.busVolume(bus: .effects)]
    #expect(volumes == [0.25, 1])
    #expect(await player.busVolume(bus: "speech") == 0)
    #expect(await player.busVolume(bus: .main) == 1)
  }

  @Test func `overriding one endpoint leaves the other endpoints unimplemented`() async throws {
    try await withDependencies {
      $0.audioPlayer.play = { _ in }
    } operation: {
      @Dependency(\.audioPlayer.play) var play
      try await play(url)
    }
  }

  @Test func `a preview plays buffers for their duration`() async throws {
    let clock = TestClock()
    let events = try await withDependencies {
      $0.continuousClock = clock
    } operation: {
      let request = PlaybackRequest(source: .buffers([tone, tone]), repetition: .times(2))
      let stream = await AudioPlayerClient.previewValue.playback(request: request)
      let events = Task { try await stream.reduce(into: []) { $0.append($1) } }
      // Each step is awaited, so four seconds are twenty steps of 200 ms.
      for _ in 0..<20 { await clock.step(by: .milliseconds(200)) }
      return try await events.value
    }
    #expect(clock.now == .init(offset: .seconds(4)))
    #expect(
      events.last == .finished(PlaybackFinish(reason: .completed, played: .seconds(4))))
  }

  @Test func `a stopped preview reports the played duration`() async throws {
    let clock = TestClock()
    try await withDependencies {
      $0.continuousClock = clock
    } operation: {
      let player = AudioPlayerClient.previewValue
      let request = PlaybackRequest(source: .buffers([tone]), repetition: .forever)
      let stream = await player.playback(request: request)
      let events = Task { try await stream.reduce(into: []) { $0.append($1) } }
      for _ in 0..<2 { await clock.step(by: .milliseconds(200)) }
      await clock.sleepers(atLeast: 1)
      await player.stop()
      let last = try await events.value.last
      #expect(
        last == .finished(PlaybackFinish(reason: .stopped, played: .milliseconds(400))))
    }
  }

  @Test func `a preloaded preview sound has the source's duration`() async throws {
    let player = AudioPlayerClient.previewValue
    #expect(try await player.preload(source: .buffers([tone, tone])).duration == .seconds(2))
    let stream = AsyncThrowingStream<AudioBuffer, any Error> { continuation in
      continuation.yield(tone)
      continuation.finish()
    }
    let sound = try await player.preload(source: .stream(stream), device: "hw:0")
    #expect(sound.duration == .seconds(1))
    #expect(sound.device == "hw:0")
    #expect(try await player.preload(source: .preloaded(sound)).duration == .seconds(1))
    await #expect(throws: AudioPlayerError.self) {
      _ = try await player.preload(source: .file(url))
    }
  }

  @Test(arguments: [
    (PlaybackRange(), 3), (PlaybackRange(end: .time(.seconds(1))), 1),
    (PlaybackRange(start: .time(.seconds(10))), 3),
    (PlaybackRange(start: .time(.seconds(10)), end: .time(.seconds(15))), 5),
  ])
  func `a previewed file plays for three seconds, or for its range if the range has an end`(
    range: PlaybackRange, seconds: Int
  ) async throws {
    let item = PlaybackItem(source: .file(URL(filePath: #filePath)), range: range)
    let events = try await withDependencies {
      $0.continuousClock = ImmediateClock()
    } operation: {
      try await AudioPlayerClient.previewValue.playback(request: PlaybackRequest(items: [item]))
        .reduce(into: []) { $0.append($1) }
    }
    #expect(
      events.last
        == .finished(PlaybackFinish(reason: .completed, played: .seconds(seconds))))
  }

  @Test func `a preview of a missing file throws as the live player does`() async {
    await #expect(throws: AudioPlayerError.self) {
      try await AudioPlayerClient.previewValue.play(url: url)
    }
  }

  private func expectIssue(_ endpoint: String, _ body: () async -> Void) async {
    await withKnownIssue {
      await body()
    } matching: { issue in
      "\(issue)".contains("Unimplemented: '\(endpoint)'")
    }
  }

  @Test func `a call of an unimplemented endpoint in a detached task fails the test`() async {
    await withKnownIssue {
      @Dependency(\.audioPlayer) var client
      await Task.detached { [client] in await client.stop() }.value
    } matching: {
      $0.comments.first?.rawValue == "Unimplemented: 'AudioPlayerClient.stop'"
    }
  }
}

extension TestClock<Duration> {
  /// Waits for a sleeper and advances the clock to its deadline.
  fileprivate func step(by duration: Duration) async {
    await sleepers(atLeast: 1)
    await advance(by: duration)
  }
}
