import AudioCore
import SoundFile
import SpeechClient
import SpeechEngine
import Testing

@testable import SpeechClientLive

@Suite struct UtteranceFinderTests {
  /// Noise as loud as speech from 1 s to 2 s, surrounded by a quiet background.
  private static let speech = AudioSignal { frame, rate in
    let isLoud = (16_000..<32_000).contains(frame)
    let noise = AudioSignal.noise(seed: 1, amplitude: isLoud ? 0.2 : 0.001)
    return noise.sample(at: FrameCount(frame), rate: rate)
  }.buffer(.seconds(4), format: .speech).samples

  private func actions(
    _ samples: [Float], step: Int, finish: Bool = true, tail: Duration? = nil
  ) throws -> [UtteranceFinder.Action] {
    var finder = UtteranceFinder(policy: EndpointPolicy(tailPadding: tail))
    var actions: [UtteranceFinder.Action] = []
    for begin in stride(from: 0, to: samples.count, by: step) {
      actions += try finder.add(Array(samples[begin..<min(begin + step, samples.count)]))
    }
    return finish ? actions + finder.flush() : actions
  }

  /// Returns, for each pause, the number of samples passed on before the pause, and the pause's
  /// silence.
  private func pauses(_ actions: [UtteranceFinder.Action]) -> [[Int]] {
    var delivered = 0
    return actions.compactMap { action in
      if case .audio(let samples) = action { delivered += samples.count }
      if case .pause(let silence) = action { return [delivered, silence.rawValue] }
      return nil
    }
  }

  @Test(
    arguments: [160, 1000, 1600, 64_000],
    [
      (nil, 3200, 3200), (100, 1600, 1600), (0, 0, 0), (400, 6400, 6400),
    ])
  func `a pause is reported after its silence, by default 200 ms, has been passed on`(
    step: Int, expected: (tail: Int?, silence: Int, delivered: Int)
  ) throws {
    let actions = try actions(
      Self.speech, step: step, tail: expected.tail.map { .milliseconds($0) })
    // The speech begins 4800 frames into the utterance, and is 16,000 frames long.
    #expect(pauses(actions) == [[20_800 + expected.delivered, expected.silence]])
  }

  @Test func `no pause is reported if the utterance ends first`() throws {
    #expect(try pauses(actions(Self.speech, step: 1600, tail: .seconds(1))).isEmpty)
  }

  @Test(arguments: [36_800, 36_801, 37_000, 38_399])
  func `if the audio ends in a pause of any length, no audio is added`(length: Int)
    throws
  {
    let actions = try actions(
      Array(Self.speech[..<length]), step: 1600, tail: .milliseconds(200))
    #expect(pauses(actions) == [[24_000, 3200]])
    #expect(delivered(actions).count == 24_000)
  }

  private func delivered(_ actions: [UtteranceFinder.Action]) -> [Float] {
    actions.flatMap { if case .audio(let samples) = $0 { samples } else { [Float]() } }
  }

  private func silenceAtEnd(_ actions: [UtteranceFinder.Action]) -> FrameCount? {
    if case .end(let silence, _)? = actions.last { silence } else { nil }
  }

  @Test(arguments: [160, 1000, 1600, 64_000])
  func `for any buffer length, an utterance is the speech with its pre-roll and hangover`(
    step: Int
  ) throws {
    let actions = try actions(Self.speech, step: step)
    #expect(actions.first == .begin(at: 11_200, sound: 16_000))
    #expect(silenceAtEnd(actions) == 9600)
    #expect(delivered(actions) == Array(Self.speech[11_200..<41_600]))
  }

  @Test(arguments: [160, 1000, 1600, 64_000], [0, 100, 205])
  func `the engine gets at most the policy's silence after the last sound`(
    step: Int, milliseconds: Int
  ) throws {
    let actions = try actions(Self.speech, step: step, tail: .milliseconds(milliseconds))
    // The tail padding is rounded down to whole steps of 10 ms.
    let tail = milliseconds / 10 * 160
    #expect(silenceAtEnd(actions) == FrameCount(tail))
    #expect(delivered(actions) == Array(Self.speech[11_200..<32_000 + tail]))
  }

  @Test(arguments: [160, 1600, 64_000])
  func `withheld silence is passed on if speech continues after it`(step: Int) throws {
    // 0.4 s of quiet between two stretches of speech.
    let samples =
      Array(Self.speech[..<38_400]) + Array(Self.speech[16_000..<32_000])
      + Array(Self.speech[32_000...])
    let actions = try actions(samples, step: step, tail: .milliseconds(100))
    #expect(actions.count { if case .begin = $0 { true } else { false } } == 1)
    #expect(delivered(actions) == Array(samples[11_200..<54_400 + 1600]))
  }

  @Test func `at the end of the audio, silence beyond the policy's tail is removed`() throws {
    let actions = try actions(
      Array(Self.speech[..<36_800]), step: 1600, tail: .milliseconds(100))
    #expect(silenceAtEnd(actions) == 1600)
    #expect(delivered(actions) == Array(Self.speech[11_200..<33_600]))
  }

  @Test func `an utterance that ends with too little silence is padded with zeros`() {
    let long = UtteranceFinder(policy: EndpointPolicy(tailPadding: .seconds(1)))
    #expect(long.padding(after: 9600) == [Float](repeating: 0, count: 6400))
    #expect(long.padding(after: 9600, wanted: .seconds(2)).count == 22_400)
    #expect(long.padding(after: 16_000).isEmpty)
    let none = UtteranceFinder(policy: EndpointPolicy())
    #expect(none.padding(after: 0).isEmpty)
    #expect(none.padding(after: 0, wanted: .milliseconds(300)).count == 4800)
    #expect(none.padding(after: 0, length: 6000, shortest: .milliseconds(500)).count == 2000)
    #expect(none.padding(after: 0, length: 8000, shortest: .milliseconds(500)).isEmpty)
    #expect(long.padding(after: 9600, length: 4000, shortest: .milliseconds(500)).count == 6400)
  }

  @Test func `an invalid tail padding becomes the nearest valid tail padding`() {
    #expect(EndpointPolicy(tailPadding: .seconds(-1)).usable.tailPadding == .zero)
    #expect(EndpointPolicy(tailPadding: .seconds(60)).usable.tailPadding == .seconds(10))
    #expect(EndpointPolicy().usable.tailPadding == nil)
  }

  @Test func `silence contains no utterance`() throws {
    let silence = [Float](repeating: 0, count: 64_000)
    #expect(try actions(silence, step: 1600).isEmpty)
  }

  @Test func `the end of the audio ends the current utterance`() throws {
    let actions = try actions(Array(Self.speech[..<30_001]), step: 1600)
    #expect(silenceAtEnd(actions) == 0)
    #expect(delivered(actions) == Array(Self.speech[11_200..<30_001]))
  }

  @Test func `speech reaches the engine before the utterance ends`() throws {
    let actions = try actions(Array(Self.speech[..<30_000]), step: 1600, finish: false)
    #expect(actions.count > 5)
    #expect(delivered(actions).count > 16_000)
  }

  @Test func `after a gap, frame numbers continue from the end of the gap`() throws {
    var finder = UtteranceFinder()
    _ = try finder.add(Array(Self.speech[..<1600]))
    finder.skip(to: 100_000)
    #expect(
      try finder.add(Array(Self.speech[..<20_000])).first == .begin(at: 111_200, sound: 116_000))
  }

  @Test(arguments: [160, 1000, 64_000])
  func `no speech is lost in a stream that begins with or within speech`(step: Int) throws {
    let clip = try SoundFileReader(url: sound("go-forward.wav")).read(atMost: 1_000_000).samples
    // One stream begins shortly before the first word, one in the vowel of that word, and one is
    // a single word without any silence around it.
    for range in [4_000..<clip.count, 6_400..<clip.count, 11_360..<18_080] {
      let actions = try actions(Array(clip[range]), step: step)
      guard case .begin(at: 0, _) = actions.first else {
        Issue.record("\(range) begins with \(String(describing: actions.first))")
        continue
      }
      #expect(delivered(actions).starts(with: clip[range].prefix(1600)))
    }
  }

  @Test(arguments: [Duration.zero, .seconds(1)])
  func `speech without a pause is cut without losing audio and with the requested overlap`(
    overlap: Duration
  ) throws {
    // The speech is equally loud, except for a quieter part of 30 ms every 0.2 s.
    let quiet = AudioSignal.noise(seed: 1, amplitude: 0.001).buffer(.seconds(1), format: .speech)
    let long = AudioSignal { frame, rate in
      let isSoft = frame % 3200 < 480
      return AudioSignal.noise(seed: 1, amplitude: isSoft ? 0.02 : 0.2)
        .sample(at: FrameCount(frame), rate: rate)
    }.buffer(.seconds(5), format: .speech).samples
    let samples = quiet.samples + quiet.samples + long
    var finder = UtteranceFinder(
      policy: EndpointPolicy(maximumLength: .seconds(2)), overlap: overlap)
    let actions = try finder.add(samples) + finder.flush()
    let begins = actions.compactMap {
      if case .begin(let at, let sound) = $0 { (at, sound) } else { nil }
    }
    let cuts = begins.dropFirst().map(\.1.rawValue)
    #expect(cuts.count >= 2)
    #expect(cuts.allSatisfy { (1...480).contains($0 % 3200) }, "\(cuts)")
    let shared = FrameCount(overlap, at: .speech)
    #expect(begins.dropFirst().allSatisfy { $0.1 - $0.0 == shared })
    #expect(
      delivered(actions).count == samples.count - begins[0].0.rawValue + cuts.count
        * shared.rawValue)
  }

  /// Reports the mean amplitude of a frame as the probability of speech.
  private final class MeanDetector: SpeechActivitySession {
    let frameLength: FrameCount

    init(frameLength: FrameCount) {
      self.frameLength = frameLength
    }

    func process(_ frame: ArraySlice<Float>) throws(SpeechEngineError) -> [Double] {
      let mean = Double(frame.reduce(0) { $0 + abs($1) }) / Double(frame.count)
      guard mean <= 1 else { throw .failed(reason: "it is too loud") }
      return [mean]
    }

    func flush() -> [Double] { [] }
  }

  private func finder(frameLength: FrameCount) -> UtteranceFinder {
    UtteranceFinder(
      detector: SpeechActivityDetector(name: "mean") { MeanDetector(frameLength: frameLength) })
  }

  @Test(arguments: [160, 1000, 64_000])
  func `pre-roll and silence are rounded to whole frames of the detector`(step: Int) throws {
    var finder = finder(frameLength: 512)
    // The level is high from frame 31 to frame 62.
    let samples = (0..<64_000).map { Float((31 * 512..<63 * 512).contains($0) ? 0.6 : 0.1) }
    var actions: [UtteranceFinder.Action] = []
    for begin in stride(from: 0, to: samples.count, by: step) {
      actions += try finder.add(Array(samples[begin..<min(begin + step, samples.count)]))
    }
    #expect(actions.first == .begin(at: 10_752, sound: 15_872))
    #expect(delivered(actions) == Array(samples[21 * 512..<82 * 512]))
    #expect(silenceAtEnd(actions) == 9_728)
  }

  private func expectEnd(_ actions: [UtteranceFinder.Action], certainty: Double) throws {
    guard case .end(let silence, let found)? = actions.last else {
      Issue.record("the utterance goes on")
      return
    }
    #expect(silence == 9_600 && abs(found - certainty) < 0.001)
  }

  @Test
  func `speech begins at probability 0.5 and continues at 0.35, and the highest is reported`()
    throws
  {
    var finder = finder(frameLength: 160)
    func add(_ level: Float, _ count: Int) throws -> [UtteranceFinder.Action] {
      try finder.add([Float](repeating: level, count: count))
    }
    #expect(try add(0.4, 16_000).isEmpty)
    #expect(try add(0.6, 480).first == .begin(at: 11_200, sound: 16_000))
    #expect(try !add(0.4, 16_000).contains { if case .end = $0 { true } else { false } })
    try expectEnd(add(0.3, 9_600), certainty: 0.6)
    // The certainty of the next utterance is that utterance's own highest probability.
    _ = try add(0.1, 16_000)
    _ = try add(0.9, 1_600)
    try expectEnd(add(0.3, 9_600), certainty: 0.9)
  }

  @Test func `an error of the detector is thrown`() {
    var finder = finder(frameLength: 160)
    #expect(throws: SpeechEngineError.failed(reason: "it is too loud")) {
      _ = try finder.add([Float](repeating: 2, count: 160))
    }
  }

  @Test func `during a long silence, at most twice the pre-roll of audio is held`() throws {
    var finder = UtteranceFinder()
    let silence = [Float](repeating: 0, count: 1600)
    // The detector makes no decision during the first second.
    for _ in 0..<10 { _ = try finder.add(silence) }
    for _ in 0..<1000 {
      _ = try finder.add(silence)
      #expect(finder.pendingCount <= 2 * 5280)
    }
  }
}
