import AudioCore
import Foundation
import SoundFile
import SpeechClient
import SpeechEngine
import Testing

@testable import SpeechClientLive

/// Finds utterances in noise: clips with 2.5 s between them, mixed with noise that is the same in
/// every run.
///
/// The clips are those in Samples and, as a second collection, the recordings in the folder that
/// `SYRINX_SPEECH_DATA` names.
@Suite(.timeLimit(.minutes(60))) struct NoisySpeechTests {
  enum Noise: String {
    case white, pink, brown, wandering
  }

  /// A mixture of speech and noise.
  ///
  /// The noise is `decibelsBelow` the speech, and the mixture is scaled to `peak` if there is one.
  struct Mixture: CustomTestStringConvertible {
    var noise: Noise?
    var decibelsBelow = 0.0
    var peak: Double?

    var testDescription: String {
      noise.map { "\($0) noise \(decibelsBelow) dB below" } ?? "peak at \(peak ?? 0) dBFS"
    }
  }

  private static let gap = 40_000

  @Test(arguments: [
    Mixture(noise: .brown, decibelsBelow: 30), Mixture(noise: .brown, decibelsBelow: 25),
    Mixture(noise: .pink, decibelsBelow: 20), Mixture(noise: .white, decibelsBelow: 5),
    Mixture(noise: .white, decibelsBelow: 0), Mixture(noise: .wandering, decibelsBelow: 30),
    Mixture(peak: -47),
  ])
  func `the energy detector finds every onset, and judges at most a tenth of the gaps to be speech`(
    mixture: Mixture
  ) throws {
    for clips in try Self.collections() {
      let scene = Scene(clips, mixture)
      let found = try scene.found(by: .energy)
      try scene.expectOnsets(in: found)
      let inGaps = scene.samplesInGaps(found)
      #expect(inGaps * 10 <= scene.gapLength, "\(inGaps) of \(scene.gapLength)")
      #expect(found.count >= scene.clips.count && found.count <= scene.clips.count * 3 / 2 + 1)
    }
  }

  @Test(
    .installedSilero,
    arguments: [
      Mixture(noise: .white, decibelsBelow: 5), Mixture(noise: .white, decibelsBelow: 0),
      Mixture(noise: .brown, decibelsBelow: 30), Mixture(noise: .brown, decibelsBelow: 20),
      Mixture(noise: .pink, decibelsBelow: 20), Mixture(noise: .wandering, decibelsBelow: 30),
      Mixture(peak: -47),
    ])
  func `Silero finds every onset, and judges at most a hundredth of the gaps to be speech`(
    mixture: Mixture
  ) throws {
    let silero = RealSilero.detector
    for clips in try Self.collections() {
      let scene = Scene(clips, mixture)
      let found = try scene.found(by: silero)
      let clean = try Scene(clips, Mixture(peak: -10)).found(by: silero)
      try scene.expectOnsets(in: found)
      let inGaps = scene.samplesInGaps(found)
      #expect(inGaps * 100 <= scene.gapLength, "\(inGaps) of \(scene.gapLength)")
      #expect(found.count == clean.count)
    }
  }

  @Test(
    .installedSilero,
    arguments: [
      [0], [Float](repeating: 0, count: 160_000), [Float](repeating: .nan, count: 32_000),
      [Float](repeating: -.infinity, count: 32_000),
    ])
  func `silence is not detected as speech`(samples: [Float]) throws {
    for detector in [RealSilero.detector, .energy] {
      var finder = UtteranceFinder(detector: detector)
      #expect(try finder.add(samples).isEmpty && finder.flush().isEmpty)
    }
  }

  @Test(.installedSilero, arguments: [7_000, 12_000, 20_000])
  func `Silero detects speech in a stream that begins in the middle of speech`(start: Int) throws {
    let clip = try Self.read(sound("go-forward.wav"))
    var finder = UtteranceFinder(detector: RealSilero.detector)
    let actions = try finder.add(Array(clip[start...])) + finder.flush()
    guard case .begin(at: 0, _) = actions.first else {
      Issue.record("it begins with \(String(describing: actions.first))")
      return
    }
  }

  @Test(.installedSilero)
  func `with Silero, speech without a pause is cut at quiet points without losing audio`() throws {
    let clip = try Self.read(sound("window.wav"))
    let speech = Array(clip[4_000..<clip.count - 8_000])
    let long = (0..<8).flatMap { _ in speech }
    var finder = UtteranceFinder(
      policy: EndpointPolicy(maximumLength: .seconds(4)), detector: RealSilero.detector)
    let actions = try finder.add(long) + finder.flush()
    let begins = actions.compactMap { if case .begin(let at, _) = $0 { at.rawValue } else { nil } }
    let delivered = actions.flatMap {
      if case .audio(let samples) = $0 { samples } else { [Float]() }
    }
    #expect(begins.count >= 4 && begins[0] == 0)
    #expect(delivered.count == long.count)
    let mean = speech.reduce(0) { $0 + $1 * $1 } / Float(speech.count)
    for cut in begins.dropFirst() {
      let before = long[cut - 512..<cut].reduce(0) { $0 + $1 * $1 } / 512
      #expect(before < mean / 4, "\(cut)")
    }
  }

  /// Returns the clips, all scaled to the same power.
  private static func collections() throws -> [[[Float]]] {
    let samples = try ["go-forward", "window", "two-utterances"].map {
      try read(sound("\($0).wav"))
    }
    guard let folder = ProcessInfo.processInfo.environment["SYRINX_SPEECH_DATA"] else {
      return [samples]
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    let recorded = try files.filter { $0.hasSuffix(".wav") }.map {
      try read(URL(filePath: folder).appending(path: $0))
    }
    return [samples, recorded]
  }

  private static func read(_ url: URL) throws -> [Float] {
    let samples = try SoundFileReader(url: url).read(atMost: 1_000_000).samples
    let power = samples.reduce(0) { $0 + $1 * $1 } / Float(samples.count)
    return samples.map { $0 * 0.05 / power.squareRoot() }
  }

  /// Clips on one timeline, with noise over all of it.
  private struct Scene {
    private(set) var clips: [Range<Int>] = []
    private var clean: [Float]
    private var samples: [Float]

    init(_ parts: [[Float]], _ mixture: Mixture) {
      clean = [Float](repeating: 0, count: gap)
      for part in parts {
        clips.append(clean.count..<clean.count + part.count)
        clean += part + [Float](repeating: 0, count: gap)
      }
      let speech = clips.reduce(into: 0) { $0 += $1.count }
      let power = clean.reduce(0.0) { $0 + Double($1 * $1) } / Double(speech)
      let noise = mixture.noise?.samples(clean.count) ?? []
      let gain = Float((power / pow(10, mixture.decibelsBelow / 10)).squareRoot())
      samples = noise.isEmpty ? clean : zip(clean, noise).map { $0 + gain * $1 }
      if let peak = mixture.peak {
        let scale = Float(pow(10, peak / 20)) / (samples.map(abs).max() ?? 1)
        samples = samples.map { $0 * scale }
      }
    }

    /// Returns the utterances, each from its first sound to its last.
    func found(by detector: SpeechActivityDetector) throws -> [Range<Int>] {
      var finder = UtteranceFinder(detector: detector)
      var found: [Range<Int>] = []
      var (start, end) = (0, 0)
      for action in try finder.add(samples) + finder.flush() {
        switch action {
        case .begin(let at, let sound): (start, end) = (sound.rawValue, at.rawValue)
        case .audio(let samples): end += samples.count
        case .pause, .resume: break
        case .end(let silence, _): found.append(start..<max(start, end - silence.rawValue))
        }
      }
      return found
    }

    func expectOnsets(in found: [Range<Int>]) throws {
      for clip in clips {
        let first = found.first { $0.overlaps(clip) }
        let start = try #require(first, "nothing at \(clip)").lowerBound
        // The first sounds of some words are below the noise, so speech is found up to 0.7 s late.
        #expect(start < onset(of: clip) + 11_200, "\(start) in \(clip)")
      }
    }

    /// Returns the start of the first 10 ms of a clip that are at most 20 dB below its loudest 10
    /// ms.
    func onset(of clip: Range<Int>) -> Int {
      let powers = stride(from: clip.lowerBound, to: clip.upperBound - 160, by: 160).map { begin in
        (begin, clean[begin..<begin + 160].reduce(0) { $0 + $1 * $1 })
      }
      let loudest = powers.map(\.1).max() ?? 0
      return powers.first { $0.1 >= loudest / 100 }?.0 ?? clip.lowerBound
    }

    var gapLength: Int { (clips.count + 1) * gap }

    /// Returns the number of samples that are in the utterances but outside the clips.
    func samplesInGaps(_ utterances: [Range<Int>]) -> Int {
      utterances.reduce(0) { sum, utterance in
        sum + utterance.count
          - clips.reduce(0) { $0 + $1.clamped(to: utterance).count }
      }
    }
  }
}

extension NoisySpeechTests.Noise {
  /// Returns this many samples of noise, with a power of 1.
  fileprivate func samples(_ count: Int) -> [Float] {
    let white = AudioSignal.noise(seed: 7, amplitude: 1)
    let source = (0..<count).map { Double(white.sample(at: FrameCount($0), rate: .speech)) }
    let shaped: [Double] =
      switch self {
      case .white: source
      // Low-pass filters an octave and a half apart; the higher the corner frequency, the lower the
      // gain.
      case .pink:
        [20.0, 60, 180, 540, 1_620, 4_860].map { lowPassed(source, $0, gain: 1 / $0.squareRoot()) }
          .reduce([Double](repeating: 0, count: count)) { zip($0, $1).map(+) }
      case .brown:
        zip(lowPassed(source, 20), lowPassed(lowPassed(source, 20), 20)).map { $0 - $1 }
      case .wandering:
        source.enumerated().map { index, sample in
          sample * pow(10, 4 * sin(Double(index) * 2 * .pi / 64_000) / 20)
        }
      }
    let power = shaped.reduce(0) { $0 + $1 * $1 } / Double(count)
    return shaped.map { Float($0 / power.squareRoot()) }
  }

  private func lowPassed(_ samples: [Double], _ corner: Double, gain: Double = 1) -> [Double] {
    let share = 1 - exp(-2 * .pi * corner / 16_000)
    var state = 0.0
    return samples.map { sample in
      state += share * (sample - state)
      return state * gain
    }
  }
}
