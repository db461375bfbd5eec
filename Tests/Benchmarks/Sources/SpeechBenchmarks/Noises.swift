import AudioCore
import BenchmarkTools
import Foundation
import SpeechClient

/// Checks whether words are recognized in sounds without speech.
///
/// The sounds are twenty minutes of synthesized noise, the same in every run, each kind once faint
/// and once loud.
enum Noises {
  private struct Kind: Sendable {
    var name: String
    /// Makes the sound, whose level is arbitrary.
    var make: @Sendable (inout SeededRandom) -> [Float]
  }

  /// The length of each sound, in seconds.
  private static let length = 65
  private static let count = length * 16_000

  static func measure(on bench: SpeechBench) async throws -> [Finding] {
    let client = try await MoonshineClient()
    let peaks = [-34.0, -10.0]
    let sounds = kinds.flatMap { kind in peaks.map { (kind: kind, peak: $0) } }
    let outcomes = try await sounds.mapped { kind, peak in
      let audio = AudioBuffer(format: .speech, samples: samples(of: kind, peak: peak))
      let events = try await client.events(of: audio)
      return (name: "\(kind.name), \(Int(peak)) dBFS", events: events)
    }
    let invented = outcomes.filter { !$0.events.texts.isEmpty }
    let words = invented.flatMap { $0.events.texts.joined(separator: " ").split(separator: " ") }
    let dropped = outcomes.reduce(0) { $0 + $1.events.count(where: \.isDropped) }
    let named = invented.named { "\($0.name): \($0.events.texts.joined(separator: " "))" }
    return [
      Finding(
        name: "moonshine: words invented in noises", value: Double(words.count), unit: "",
        bound: 0, remark: "in \(sounds.count * length) s, \(dropped) dropped; \(named)"),
      Finding(
        name: "moonshine: utterances without one final or dropped",
        value: Double(outcomes.reduce(0) { $0 + $1.events.unansweredCount }), unit: "", bound: 0,
        remark: "in noises"),
    ]
  }

  /// Returns the sound with this peak; a loud sound also gets a faint background.
  private static func samples(of kind: Kind, peak decibels: Double) -> [Float] {
    var random = SeededRandom(state: UInt64(kinds.firstIndex { $0.name == kind.name } ?? 0))
    let sound = kind.make(&random)
    let peak = sound.reduce(1e-9) { max($0, abs($1)) }
    let factor = Float(pow(10, decibels / 20)) / peak
    let background: Float = decibels > -20 ? 0.003 : 0
    return sound.map { $0 * factor + background * random.sample() }
  }

  private static let kinds = [
    Kind(name: "silence") { _ in [Float](repeating: 0, count: count) },
    Kind(name: "white") { random in (0..<count).map { _ in random.sample() } },
    Kind(name: "pink") { pink(count, &$0) },
    Kind(name: "brown") { brown(count, &$0) },
    Kind(name: "typing") { scattered(every: 0.17, &$0, click) },
    Kind(name: "hum") { _ in
      tone(count, harmonics: 19) { _ in 50 }
    },
    Kind(name: "tones") { scattered(every: 1.5, &$0, beep) },
    Kind(name: "music") { scattered(every: 0.4, &$0, chord) },
    Kind(name: "dogs") { scattered(every: 0.8, &$0, bark) },
    Kind(name: "thunder") { scattered(every: 5, &$0, thunder) },
  ]
}

extension Noises {
  /// Returns sounds of varying loudness, separated by random gaps of `gap` seconds on average.
  private static func scattered(
    every gap: Double, _ random: inout SeededRandom, _ make: (inout SeededRandom) -> [Float]
  ) -> [Float] {
    var samples = [Float](repeating: 0, count: count)
    var place = 8_000
    while place < count {
      let level = pow(10, random.number(in: -6...3) / 20)
      for (index, sample) in make(&random).enumerated() where place + index < count {
        samples[place + index] += Float(level) * sample
      }
      place += 320 + Int(-log(random.number(in: 1e-6...1)) * gap * 16_000)
    }
    return samples
  }

  /// Returns the sound of a key on a keyboard: a hiss of a few milliseconds.
  private static func click(_ random: inout SeededRandom) -> [Float] {
    let decay = random.number(in: 0.004...0.012)
    var last: Float = 0
    return (0..<800).map { index in
      let sample = random.sample()
      defer { last = sample }
      return (sample - last) * fading(index, attack: 0.001, decay: decay)
    }
  }

  /// Returns a pure tone.
  private static func beep(_ random: inout SeededRandom) -> [Float] {
    let (length, frequency) = (random.number(in: 0.3...2), random.number(in: 200...3_000))
    let count = Int(length * 16_000)
    return tone(count) { _ in frequency }.enumerated().map { index, sample in
      sample * Float(min(1, Double(min(index, count - index)) / 320))
    }
  }

  /// Returns the sound of one to three plucked strings.
  private static func chord(_ random: inout SeededRandom) -> [Float] {
    let roots = (0..<Int.random(in: 1...3, using: &random)).map { _ in
      110 * pow(2, Double(Int.random(in: 0...24, using: &random)) / 12)
    }
    let decay = random.number(in: 0.2...0.6)
    let strings = roots.map { root in tone(16_000, harmonics: 8, slope: 1.5) { _ in root } }
    return (0..<16_000).map { index in
      strings.reduce(0) { $0 + $1[index] } * fading(index, attack: 0.005, decay: decay)
    }
  }

  /// Returns a falling tone with overtones and breath.
  private static func bark(_ random: inout SeededRandom) -> [Float] {
    let (length, frequency) = (random.number(in: 0.15...0.4), random.number(in: 250...700))
    let count = Int(length * 16_000)
    let voice = tone(count, harmonics: 11) { time in
      frequency * (1 + 0.4 * exp(-time / 0.03)) * (1 - 0.3 * time / length)
    }
    return voice.enumerated().map { index, sample in
      let shape = sin(.pi * Double(index) / Double(count)).squareRoot()
      return (sample + 0.3 * random.sample()) * Float(shape)
    }
  }

  /// Returns a rumble of two to five seconds that fades.
  private static func thunder(_ random: inout SeededRandom) -> [Float] {
    let (count, decay) = (Int(random.number(in: 2...5) * 16_000), random.number(in: 0.8...1.5))
    let (speed, phase) = (random.number(in: 1...3), random.number(in: 0...6))
    return brown(count, &random).enumerated().map { index, sample in
      let swell = 0.6 + 0.4 * sin(Double(index) / 16_000 * 2 * .pi * speed + phase)
      return sample * Float(swell) * fading(index, attack: 0.05, decay: decay)
    }
  }

  /// Returns a tone with overtones and a changing frequency; a larger slope weakens the overtones.
  private static func tone(
    _ count: Int, harmonics: Int = 1, slope: Double = 1, _ frequency: (Double) -> Double
  ) -> [Float] {
    var phase = 0.0
    return (0..<count).map { index in
      phase += 2 * .pi * frequency(Double(index) / 16_000) / 16_000
      return Float(
        (1...harmonics).reduce(0) { sum, number in
          sum + sin(Double(number) * phase) / pow(Double(number), slope)
        })
    }
  }

  private static func fading(_ index: Int, attack: Double, decay: Double) -> Float {
    let time = Double(index) / 16_000
    return Float(min(1, time / attack) * exp(-max(0, time - attack) / decay))
  }

  /// Returns a sum of low-passed noises in which each octave has the same power.
  private static func pink(_ count: Int, _ random: inout SeededRandom) -> [Float] {
    let decays: [Float] = [0.998, 0.99, 0.95, 0.8, 0.3]
    var states = [Float](repeating: 0, count: decays.count)
    return (0..<count).map { _ in
      for (index, decay) in decays.enumerated() {
        states[index] = decay * states[index] + (1 - decay * decay).squareRoot() * random.sample()
      }
      return states.reduce(0, +)
    }
  }

  /// Returns noise whose power falls by 6 dB per octave above 16 Hz.
  private static func brown(_ count: Int, _ random: inout SeededRandom) -> [Float] {
    var state: Float = 0
    return (0..<count).map { _ in
      state = 0.994 * state + 0.1 * random.sample()
      return state
    }
  }
}

/// Random numbers that are the same in every run (SplitMix64).
private struct SeededRandom: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  mutating func number(in range: ClosedRange<Double>) -> Double {
    .random(in: range, using: &self)
  }

  /// Returns a sample of white noise, from -1 to 1.
  mutating func sample() -> Float { Float.random(in: -1...1, using: &self) }
}
