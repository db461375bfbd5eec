import AudioCore
import AudioPlayerClient
import AudioThreads
import ClientDependencies
import SoundCard
import Testing
import VirtualSoundCard

@testable import AudioPlayerClientLive

/// Sounds that lower a bus while they play.
@Suite(.fewAtATime, .timeLimit(.minutes(5))) struct DuckingTests {
  private static let half = Decibels(amplitude: 0.5)
  private let harness = PlayerHarness()

  /// Starts music whose samples are all 0.5.
  private func startMusic(seconds: Int) async -> Task<Void, any Error> {
    let music = AudioBuffer(
      format: PlayerHarness.format, samples: .init(repeating: 0.5, count: 8_000 * seconds))
    let playing = await harness.start(PlaybackRequest(source: .buffers([music]), bus: .music))
    await harness.pass(8)
    return playing
  }

  /// A silent sound that ducks the music, so that the device plays the music alone.
  private func prompt(
    seconds: Int = 1, _ gain: Decibels = half, id: PlaybackID = PlaybackID()
  ) -> PlaybackRequest {
    let silence = AudioBuffer(
      silence: FrameCount(8_000 * seconds), format: PlayerHarness.format)
    return PlaybackRequest(
      source: .buffers([silence]), id: id, bus: "speech", ducking: [.music: gain])
  }

  /// The values that the device played for at least 50 ms, in order.
  private var plateaus: [Float] {
    var found: [Float] = []
    var run: (value: Float, count: Int) = (0, 0)
    for sample in harness.played {
      run = abs(sample - run.value) < 1e-6 ? (run.value, run.count + 1) : (sample, 1)
      let value = (run.value * 10_000).rounded() / 10_000
      if run.count == 400, value != found.last { found.append(value) }
    }
    return found.filter { $0 > 0 }
  }

  @Test func `a sound lowers a bus while it plays, in ramps of 200 ms`() async throws {
    let music = await startMusic(seconds: 4)
    try await harness.finish(await harness.start(prompt()))
    try await harness.finish(music)
    #expect(plateaus == [0.5, 0.25, 0.5])
    let sound = Array(harness.played.prefix { $0 > 0 })
    #expect(sound.count == 32_000)
    #expect(largestStep(sound) < 0.25 / 1_600 * 1.01)
    #expect(abs(sound.filter { $0 > 0.2501 && $0 < 0.4999 }.count - 3_200) <= 10)
    // The ducking ends only after the device, which buffers 100 ms, has played the sound's last
    // frame.
    let lowered = sound.filter { $0 < 0.4999 }.count
    #expect((9_600...10_800).contains(lowered), "\(lowered)")
  }

  @Test func `a bus is ducked and restored over the request's ramp`() async throws {
    let music = await startMusic(seconds: 3)
    var request = prompt()
    request.duckingRamp = .milliseconds(50)
    try await harness.finish(await harness.start(request))
    try await harness.finish(music)
    let ramped = harness.played.filter { $0 > 0.2501 && $0 < 0.4999 }
    #expect(abs(ramped.count - 800) <= 10, "\(ramped.count)")
  }

  @Test func `while several sounds duck a bus, the lowest of their gains applies`()
    async throws
  {
    let music = await startMusic(seconds: 7)
    let outer = await harness.start(prompt(seconds: 4))
    await harness.pass(20)
    let inner = await harness.start(prompt(Decibels(amplitude: 0.25)))
    await harness.pass(12)
    let louder = await harness.start(prompt(Decibels(amplitude: 0.75)))
    try await harness.finish(inner)
    try await harness.finish(louder)
    try await harness.finish(outer)
    try await harness.finish(music)
    #expect(plateaus == [0.5, 0.25, 0.125, 0.25, 0.5])
  }

  @Test func `a volume that is set while the bus is ducked remains after the ducking`() async throws
  {
    #expect(await harness.player.busVolume(bus: .music) == 1)
    let music = await startMusic(seconds: 4)
    let playing = await harness.start(prompt())
    await harness.pass(12)
    await harness.player.setBusVolume(bus: .music, volume: 0.5)
    #expect(await harness.player.busVolume(bus: .music) == 0.5)
    try await harness.finish(playing)
    try await harness.finish(music)
    #expect(plateaus == [0.5, 0.25, 0.125, 0.25])
  }

  @Test func `a long volume ramp continues while its bus is ducked`() async throws {
    let music = await startMusic(seconds: 4)
    await harness.player.setBusVolume(bus: .music, volume: 0, ramp: .seconds(3))
    try await harness.finish(await harness.start(prompt()))
    try await harness.finish(music)
    let sound = Array(harness.played.prefix { $0 > 0 })
    #expect((24_000...27_000).contains(sound.count), "\(sound.count)")
    #expect(largestStep(sound) < (0.25 / 1_600 + 0.5 / 24_000) * 1.01)
  }

  @Test func `a paused sound does not duck`() async throws {
    let music = await startMusic(seconds: 6)
    let request = prompt(seconds: 2, id: "prompt")
    let playing = await harness.start(request)
    await harness.pass(20)
    try await harness.send("prompt", .pause())
    await harness.pass(20)
    try await harness.send("prompt", .resume())
    try await harness.finish(playing)
    try await harness.finish(music)
    #expect(plateaus == [0.5, 0.25, 0.5, 0.25, 0.5])
  }

  @Test(arguments: ["stop", "cancel", "error"])
  func `the ducking ends with its sound, even if the sound is stopped, canceled, or fails`(
    way: String
  ) async throws {
    let music = await startMusic(seconds: 4)
    var request = prompt(seconds: 30, id: "prompt")
    if way == "error" {
      request.source = .stream(
        AsyncThrowingStream { continuation in
          continuation.yield(AudioBuffer(silence: 8_000, format: PlayerHarness.format))
          continuation.finish(throwing: SourceError())
        })
    }
    let playing = await harness.start(request)
    await harness.pass(20)
    switch way {
    case "stop": try await harness.send("prompt", .stop())
    case "cancel": playing.cancel()
    default: await #expect(throws: (any Error).self) { try await harness.finish(playing) }
    }
    try await harness.finish(music)
    #expect(plateaus == [0.5, 0.25, 0.5])
  }

  @Test func `a gain that is not a number ducks nothing`() async throws {
    let music = await startMusic(seconds: 5)
    let playing = await harness.start(prompt(seconds: 3, Decibels(.nan)))
    await harness.pass(12)
    try await harness.finish(await harness.start(prompt()))
    try await harness.finish(playing)
    try await harness.finish(music)
    #expect(plateaus == [0.5, 0.25, 0.5])
  }
}

private struct SourceError: Error {}
