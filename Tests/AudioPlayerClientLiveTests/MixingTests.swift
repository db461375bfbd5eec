import AudioCore
import AudioPlayerClient
import AudioThreads
import Testing

@testable import AudioPlayerClientLive

/// What comes of many voices together, on a card's thread above a simulated device.
@Suite struct MixingTests {
  let bench: CardBench

  init() throws { bench = try CardBench() }

  @Test func `64 voices sum exactly`() throws {
    let generator = AudioSignal.noise(seed: 11)
    let format = AudioFormat(sampleRate: 8_000, channelCount: 1)
    // Multiples of 1/65536 below 1/64: every partial sum is a number that Float has.
    let sounds = (0..<VoiceTable.limit).map { index in
      generator.buffer(4_000, format: format, firstFrame: FrameCount(index * 4_000)).samples
        .map { ($0 * 1_000).rounded() / 65_536 }
    }
    try bench.run(try sounds.map { try bench.voice($0) })
    let expected = (0..<4_000).map { frame in sounds.reduce(Float(0)) { $0 + $1[frame] } }
    #expect(bench.pcm.written.prefix(4_000).elementsEqual(expected))
    #expect(bench.events().count == VoiceTable.limit)
  }

  @Test(.timeLimit(.minutes(5)))
  func `a sound too many is refused, and not told to have begun`() async throws {
    let deck = Deck()
    var playing: [Task<Void, any Error>] = []
    for _ in 0..<VoiceTable.limit {
      playing.append(await deck.start(PlaybackRequest(source: .buffers([staircase(800)]))))
    }
    let refused = await deck.start(PlaybackRequest(source: .buffers([staircase(800)])))
    await #expect(throws: AudioPlayerError.tooManyVoices(limit: VoiceTable.limit)) {
      try await refused.value
    }
    let begun = deck.events.filter { if case .started = $0 { true } else { false } }
    #expect(begun.count == VoiceTable.limit)
    for playing in playing { try await deck.finish(playing) }
  }

  @Test func `64 voices at full scale stay within ±1, and each is told`() throws {
    let format = AudioFormat(sampleRate: 8_000, channelCount: 1)
    let sounds = (0..<VoiceTable.limit).map { index in
      AudioSignal.sine(100 + Double(index)).buffer(.seconds(3), format: format).samples
    }
    let sum = sounds.reduce([Float](repeating: 0, count: 24_000)) { sum, sound in
      zip(sum, sound).map { $0 + $1 }
    }
    try bench.run(try sounds.map { try bench.voice($0) })
    #expect(bench.pcm.written.allSatisfy { abs($0) <= 1 })
    #expect(largestStep(bench.pcm.written) <= largestStep(sum))
    let gains = bench.events().compactMap { if case .limited(let gain) = $0 { gain } else { nil } }
    #expect(gains.count == 3)
    let loudest = sum.map { abs($0) }.max() ?? 0
    #expect(abs((gains.min() ?? 0) * loudest - 1) < 0.01)
  }

  @Test func `a voice hears that it was turned down before it hears that it is over`() throws {
    let loud = try bench.voice([Float](repeating: 1.5, count: 1_000))
    try bench.run([loud])
    #expect(bench.events() == [.limited(1 / 1.5), .finished(ObjectIdentifier(loud))])
  }

  @Test func `a sound after silence is not turned down for one that was before it`() throws {
    let quiet = [Float](repeating: 0.5, count: 400)
    let loud = try bench.voice([Float](repeating: 2, count: 400))
    let next = try bench.voice(quiet)
    let link = bench.link
    bench.add(loud)
    bench.pcm.whenIdle = {
      bench.pcm.whenIdle = { link.commands.tryWrite(.quit) }
      bench.add(next)
    }
    try CardThread(pcm: bench.pcm, link: link).run()
    #expect(bench.pcm.written.drop { $0 != 0.5 }.prefix(400).elementsEqual(quiet))
    #expect(bench.pcm.written.prefix(400).elementsEqual([Float](repeating: 1, count: 400)))
  }

  @Test(arguments: [300, 301, 312, 324])
  func `the first frame of a voice is in the very next block of a device that plays`(
    milliseconds: Int
  ) throws {
    let background = try bench.voice([Float](repeating: 0.25, count: 8_000))
    let chime = try bench.voice([Float](repeating: 0.5, count: 1_000))
    var next: Int?
    bench.pcm.at(milliseconds) { pcm in
      bench.add(chime)
      next = pcm.written.count
    }
    try bench.run([background])
    #expect(bench.pcm.written.firstIndex(of: 0.75) == next)
    #expect(next.map { $0 - milliseconds * 8 <= bench.pcm.configuration.buffer.rawValue } == true)
  }

  @Test func `the volume of everything moves in even steps while it sounds`() async throws {
    let deck = Deck()
    let steady = AudioBuffer(format: Deck.format, samples: .init(repeating: 0.5, count: 8_000))
    let playing = await deck.start(PlaybackRequest(source: .buffers([steady])))
    await deck.pass(8)
    await deck.player.setVolume(volume: 0.25)
    try await deck.finish(playing)
    let played = Array(deck.played.prefix(8_000))
    // From 1 to a quarter in 20 ms: 160 frames.
    #expect(largestStep(played) <= 0.5 * 0.75 / 160 + 1e-6)
    #expect(played.first == 0.5)
    #expect(played.last == 0.125)
  }

  @Test func `the volume of a bus is that of its voices and of no other`() throws {
    let music = BusVolume()
    music.setting = .init(gain: 0.25, ramp: .zero)
    let steady = [Float](repeating: 0.5, count: 1_000)
    let voices = [
      try bench.voice(steady, bus: music), try bench.voice(steady, bus: music),
      try bench.voice(steady),
    ]
    try bench.run(voices)
    #expect(bench.pcm.written.prefix(1_000).allSatisfy { $0 == 0.5 * 0.25 * 2 + 0.5 })
  }

  @Test func `the volume of a bus moves in even steps, for a voice that comes later too`() throws {
    let music = BusVolume()
    let steady = [Float](repeating: 0.5, count: 8_000)
    let later = try bench.voice(steady, bus: music)
    bench.pcm.at(300) { _ in music.setting = .init(gain: 0, ramp: .milliseconds(400)) }
    bench.pcm.at(500) { _ in bench.add(later) }
    try bench.run([try bench.voice(steady, bus: music)])
    let written = bench.pcm.written
    let fall = try #require(written.firstIndex { $0 != 0.5 }) - 1
    let single = (0...3_200).map { 0.5 * (1 - Float($0) / 3_200) }
    let start = try #require((fall..<fall + 3_200).first { written[$0] > single[$0 - fall] + 1e-3 })
    let expected = (fall..<fall + 3_200).map { single[$0 - fall] * ($0 < start ? 1 : 2) }
    let error = zip(written[fall...], expected).map { abs($0 - $1) }.max() ?? 1
    #expect(start > fall + 1_000 && start < fall + 2_400)
    #expect(error < 1e-4)
    #expect(written[(fall + 3_200)...].allSatisfy { $0 == 0 })
  }

  @Test func `a fade of a bus that nothing sounds on any more is over with the next sound`() throws
  {
    let music = BusVolume()
    let steady = [Float](repeating: 0.5, count: 1_600)
    let link = bench.link
    let bench = bench
    let next = try bench.voice(steady, bus: music)
    bench.pcm.at(100) { _ in music.setting = .init(gain: 0.5, ramp: .seconds(60)) }
    bench.add(try bench.voice(steady, bus: music))
    bench.pcm.whenIdle = {
      bench.pcm.whenIdle = { link.commands.tryWrite(.quit) }
      bench.add(next)
    }
    try CardThread(pcm: bench.pcm, link: link).run()
    #expect(bench.pcm.written.suffix(1_600).prefix(1_000).allSatisfy { $0 == 0.25 || $0 == 0 })
    #expect(bench.pcm.written.suffix(1_600).contains(0.25))
  }

  private func largestStep(_ samples: [Float]) -> Float {
    zip(samples.dropFirst(), samples).map { abs($0 - $1) }.max() ?? 0
  }
}
