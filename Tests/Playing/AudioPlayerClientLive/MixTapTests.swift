import AudioCore
import AudioPlayerClient
import ClientDependencies
import SoundCard
import Testing

@testable import AudioPlayerClientLive

@Suite struct MixTapTests {
  private let tone = AudioSignal.sine(440).buffer(.milliseconds(400), format: PlayerHarness.format)

  @Test func `each reader gets every played block once, with its time`()
    async throws
  {
    let harness = PlayerHarness()
    let reader = harness.player.makeMixReader()
    let other = harness.player.makeMixReader(device: "virtual")
    let wrong = harness.player.makeMixReader(device: "hw:9")
    #expect(reader().isEmpty)
    let playing = await harness.start(PlaybackRequest(source: .buffers([tone])))
    await harness.pass(8)
    let blocks = reader()
    let samples = blocks.flatMap(\.samples)
    // The device has played 200 ms and holds 100 ms.
    let isPlayed = samples.count >= 1_600 && tone.samples.starts(with: samples)
    #expect(isPlayed)
    #expect(other() == blocks && wrong().isEmpty && reader().isEmpty)
    let progress = try #require(harness.events.compactMap(\.progress).last)
    let begin = try #require(progress.hostTime) - progress.played
    for block in blocks {
      let offset = block.firstFrame.duration(at: block.format.sampleRate)
      #expect(abs((try #require(block.hostTime) - begin - offset).inSeconds) < 0.001)
    }
    #expect(zip(blocks, blocks.dropFirst()).allSatisfy { $0.endFrame == $1.firstFrame })
    try await harness.finish(playing)
  }

  @Test func `without a reader nothing is kept, and a reader gets the last two seconds`()
    async throws
  {
    let harness = PlayerHarness()
    let noise = AudioSignal.noise(seed: 1, amplitude: 0.2)
    let long = noise.buffer(.seconds(10), format: PlayerHarness.format)
    let playing = await harness.start(PlaybackRequest(source: .buffers([long])))
    await harness.clock.advance(by: .seconds(3))
    let reader = harness.player.makeMixReader()
    #expect(reader().isEmpty)
    await harness.clock.advance(by: .seconds(1))
    let news = reader().reduce(0) { $0 + $1.frameCount }
    #expect(news > 7_000 && news < 9_000)
    await harness.clock.advance(by: .seconds(4))
    let late = reader().flatMap(\.samples)
    #expect(late.count == 16_000)
    #expect(try #require(long.samples.range(of: late)).lowerBound > 40_000)
    try await harness.finish(playing)
  }

  @Test func `each time the device is opened, a reader gets the mix from its first frame`() {
    let taps = MixTaps()
    let reader = taps.makeReader(nil)
    let configuration = PCMConfiguration(
      device: "virtual", format: PlayerHarness.format, sampleFormat: .float32, period: 200,
      buffer: 800)
    // A new tap may have the address of the previous tap, which was released.
    for opening in 1...20 {
      let tap = taps.makeTap(configuration)
      let samples = [Float](repeating: Float(opening), count: 100)
      samples.withUnsafeBufferPointer { tap.tryWrite($0, at: 0) }
      #expect(reader().isEmpty)
      tap.observe(0, at: .now)
      #expect(reader().flatMap(\.samples) == samples)
    }
  }
}
