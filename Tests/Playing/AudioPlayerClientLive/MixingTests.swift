import AudioCore
import AudioPlayerClient
import AudioThreads
import SoundCard
import TestTools
import Testing

@testable import AudioPlayerClientLive

/// Many voices on the audio thread of a simulated device.
@Suite struct MixingTests {
  let harness: AudioThreadHarness

  init() throws { harness = try AudioThreadHarness() }

  @Test func `the mix of 64 voices is exactly their sum`() throws {
    let generator = AudioSignal.noise(seed: 11)
    let format = AudioFormat(sampleRate: 8_000, channelCount: 1)
    // The samples are multiples of 1/65536 below 1/64, so Float represents every partial sum
    // exactly.
    let sounds = (0..<VoiceTable.limit).map { index in
      generator.buffer(4_000, format: format, firstFrame: FrameCount(index * 4_000)).samples
        .map { ($0 * 1_000).rounded() / 65_536 }
    }
    try harness.run(try sounds.map { try harness.voice($0) })
    let expected = (0..<4_000).map { frame in sounds.reduce(Float(0)) { $0 + $1[frame] } }
    #expect(harness.pcm.written.prefix(4_000).elementsEqual(expected))
    #expect(harness.events().count == VoiceTable.limit)
  }

  @Test(.timeLimit(.minutes(5)))
  func `a sound beyond the limit of voices is refused before it is reported as started`()
    async throws
  {
    let harness = PlayerHarness()
    var playing: [Task<Void, any Error>] = []
    for _ in 0..<VoiceTable.limit {
      playing.append(await harness.start(PlaybackRequest(source: .buffers([staircase(800)]))))
    }
    let refused = await harness.start(PlaybackRequest(source: .buffers([staircase(800)])))
    await #expect(throws: AudioPlayerError.tooManyVoices(limit: VoiceTable.limit)) {
      try await refused.value
    }
    let begun = harness.events.filter { if case .started = $0 { true } else { false } }
    #expect(begun.count == VoiceTable.limit)
    for playing in playing { try await harness.finish(playing) }
  }

  @Test func `64 voices at full scale are limited to ±1, and each voice reports the limiting`()
    throws
  {
    let format = AudioFormat(sampleRate: 8_000, channelCount: 1)
    let sounds = (0..<VoiceTable.limit).map { index in
      AudioSignal.sine(100 + Double(index)).buffer(.seconds(3), format: format).samples
    }
    let sum = sounds.reduce([Float](repeating: 0, count: 24_000)) { sum, sound in
      zip(sum, sound).map { $0 + $1 }
    }
    try harness.run(try sounds.map { try harness.voice($0) })
    #expect(harness.pcm.written.allSatisfy { abs($0) <= 1 })
    #expect(largestStep(harness.pcm.written) <= largestStep(sum))
    let gains = harness.events().compactMap {
      if case .limited(let gain) = $0 { gain } else { nil }
    }
    #expect(gains.count == 3)
    let loudest = sum.map { abs($0) }.max() ?? 0
    #expect(abs((gains.min() ?? 0) * loudest - 1) < 0.01)
  }

  @Test func `limiting is reported to a voice before its end`() throws {
    let loud = try harness.voice([Float](repeating: 1.5, count: 1_000))
    try harness.run([loud])
    #expect(harness.events() == [.limited(1 / 1.5), .finished(ObjectIdentifier(loud))])
  }

  @Test func `silence resets the limiter for the next sound`() throws {
    let quiet = [Float](repeating: 0.5, count: 400)
    let loud = try harness.voice([Float](repeating: 2, count: 400))
    let next = try harness.voice(quiet)
    let link = harness.link
    harness.add(loud)
    harness.pcm.whenIdle = {
      harness.pcm.whenIdle = { link.quit() }
      harness.add(next)
    }
    try harness.runThread()
    #expect(harness.pcm.written.drop { $0 != 0.5 }.prefix(400).elementsEqual(quiet))
    #expect(harness.pcm.written.prefix(400).elementsEqual([Float](repeating: 1, count: 400)))
  }

  @Test(arguments: [300, 301, 312, 324])
  func `the first frame of a voice is in the next block of a playing device`(
    milliseconds: Int
  ) throws {
    let background = try harness.voice([Float](repeating: 0.25, count: 8_000))
    let chime = try harness.voice([Float](repeating: 0.5, count: 1_000))
    var next: Int?
    harness.pcm.at(milliseconds) { pcm in
      harness.add(chime)
      next = pcm.written.count
    }
    try harness.run([background])
    #expect(harness.pcm.written.firstIndex(of: 0.75) == next)
    #expect(next.map { $0 - milliseconds * 8 <= harness.pcm.configuration.buffer.rawValue } == true)
  }

  @Test func `the master volume changes in equal steps while voices sound`() async throws {
    let harness = PlayerHarness()
    let steady = AudioBuffer(
      format: PlayerHarness.format, samples: .init(repeating: 0.5, count: 8_000))
    let playing = await harness.start(PlaybackRequest(source: .buffers([steady])))
    await harness.pass(8)
    await harness.player.setVolume(volume: 0.25)
    try await harness.finish(playing)
    let played = Array(harness.played.prefix(8_000))
    // The gain falls from 1 to a quarter in 20 ms, which are 160 frames.
    #expect(largestStep(played) <= 0.5 * 0.75 / 160 + 1e-6)
    #expect(played.first == 0.5)
    #expect(played.last == 0.125)
  }

  @Test func `the volume of a bus applies only to its own voices`() throws {
    let music = BusVolume()
    music.setting = (0.25, .zero)
    let steady = [Float](repeating: 0.5, count: 1_000)
    let voices = [
      try harness.voice(steady, bus: music), try harness.voice(steady, bus: music),
      try harness.voice(steady),
    ]
    try harness.run(voices)
    #expect(harness.pcm.written.prefix(1_000).allSatisfy { $0 == 0.5 * 0.25 * 2 + 0.5 })
  }

  @Test func `the volume of a bus moves in equal steps, and a later voice joins the ramp`() throws {
    let music = BusVolume()
    let steady = [Float](repeating: 0.5, count: 8_000)
    let later = try harness.voice(steady, bus: music)
    harness.pcm.at(300) { _ in music.setting = (0, .milliseconds(400)) }
    harness.pcm.at(500) { _ in harness.add(later) }
    try harness.run([try harness.voice(steady, bus: music)])
    let written = harness.pcm.written
    let fall = try #require(written.firstIndex { $0 != 0.5 }) - 1
    let single = (0...3_200).map { 0.5 * (1 - Float($0) / 3_200) }
    let start = try #require((fall..<fall + 3_200).first { written[$0] > single[$0 - fall] + 1e-3 })
    let expected = (fall..<fall + 3_200).map { single[$0 - fall] * ($0 < start ? 1 : 2) }
    let error = zip(written[fall...], expected).map { abs($0 - $1) }.max() ?? 1
    #expect(start > fall + 1_000 && start < fall + 2_400)
    #expect(error < 1e-4)
    #expect(written[(fall + 3_200)...].allSatisfy { $0 == 0 })
  }

  @Test func `the next voice of a silent bus begins at the new volume, without a ramp`() throws {
    let music = BusVolume()
    let steady = [Float](repeating: 0.5, count: 1_600)
    let link = harness.link
    let harness = harness
    let next = try harness.voice(steady, bus: music)
    harness.pcm.at(100) { _ in music.setting = (0.5, .seconds(60)) }
    harness.add(try harness.voice(steady, bus: music))
    harness.pcm.whenIdle = {
      harness.pcm.whenIdle = { link.quit() }
      harness.add(next)
    }
    try harness.runThread()
    #expect(harness.pcm.written.suffix(1_600).prefix(1_000).allSatisfy { $0 == 0.25 || $0 == 0 })
    #expect(harness.pcm.written.suffix(1_600).contains(0.25))
  }

  private func largestStep(_ samples: [Float]) -> Float {
    zip(samples.dropFirst(), samples).map { abs($0 - $1) }.max() ?? 0
  }
}
