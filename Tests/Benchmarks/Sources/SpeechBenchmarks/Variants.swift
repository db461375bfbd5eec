import AudioCore
import BenchmarkTools
import Foundation
import Resampling
import SpeechClient

/// Checks whether clear speech is recognized after small changes: each clip with other starts,
/// gains, and speeds, in a narrow band, and in faint noise.
///
/// A variant of a clip loses words if it has over 20 % fewer words than the median of all variants.
enum Variants {
  struct Variant: Sendable {
    var name: String
    var change: @Sendable (AudioBuffer) throws -> AudioBuffer
  }

  /// The recognized events of a variant of a clip.
  private struct Outcome {
    var clip: SpeechBench.Clip
    var variant: String
    var events: [SpeechRecognitionEvent]

    var name: String { "\(clip.name) (\(variant))" }
    var text: String { events.texts.joined(separator: " ") }

    var words: WordErrorRate { WordErrorRate(reference: clip.words, hypothesis: text) }
    /// The number of spoken words that were recognized, correctly or as another word.
    var wordCount: Int { words.matches + words.substitutions }
  }

  static func measure(on bench: SpeechBench) async throws -> [Finding] {
    let client = try await MoonshineClient()
    let inputs = bench.allClips.flatMap { clip in all.map { (clip: clip, variant: $0) } }
    let outcomes = try await inputs.mapped { clip, variant in
      let audio = try variant.change(SpeechBench.buffer(of: clip.url))
      return Outcome(
        clip: clip, variant: variant.name, events: try await client.events(of: audio))
    }
    let clips = stride(from: 0, to: outcomes.count, by: all.count).map {
      Array(outcomes[$0..<($0 + all.count)])
    }
    let lost = clips.flatMap { below($0, \.wordCount) }
    let wrong = clips.flatMap { below($0, \.words.matches) }
    let short = clips.map { $0[0] }.filter { ["command", "digit"].contains($0.clip.category) }
    let empty = short.filter(\.text.isEmpty)
    if CommandLine.arguments.contains("--texts") {
      for outcome in lost + wrong {
        print("\(outcome.name): \(outcome.text) | \(outcome.clip.words)")
      }
    }
    return [
      Finding(
        name: "moonshine: variants of clips that lose words", value: Double(lost.count), unit: "",
        bound: 0, remark: "of \(outcomes.count); \(lost.named(\.name))"),
      Finding(
        name: "moonshine: those with fewer right words", value: Double(wrong.count), unit: "",
        remark: wrong.named(\.name)),
      Finding(
        name: "moonshine: commands and digits without text", value: Double(empty.count), unit: "",
        bound: 0, remark: "of \(short.count); \(empty.named(\.name))"),
      Finding(
        name: "moonshine: utterances without one final or dropped",
        value: Double(outcomes.reduce(0) { $0 + $1.events.unansweredCount }), unit: "", bound: 0,
        remark: "in the variants"),
    ]
  }

  /// Returns the variants of one clip for which `count` is more than 20 % below the median.
  private static func below(_ variants: [Outcome], _ count: (Outcome) -> Int) -> [Outcome] {
    let counts = variants.map(count)
    let median = counts.sorted()[counts.count / 2]
    return zip(variants, counts).filter { $0.1 * 5 < median * 4 }.map(\.0)
  }
}

extension Variants {
  /// All variants; the first one is the unchanged clip.
  static let all =
    [Variant(name: "plain") { $0 }] + starts + gains + speeds + [telephone, noisy]

  /// Twenty variants in which noise precedes the clip, as loud as the clip's noise floor.
  ///
  /// The noise lasts 500 ms in the first variant, and 23 ms less in each further variant. No speech
  /// is lost, but the detector and the model divide the speech into frames at other positions.
  private static let starts = (0..<20).map { number in
    Variant(name: "start -\(number * 23) ms") { clip in
      let lead = floor(of: clip).buffer(.milliseconds(500 - number * 23), format: .speech)
      return AudioBuffer(format: .speech, samples: lead.samples + clip.samples)
    }
  }

  /// The clip with another gain, limited to full scale, as in a file.
  private static let gains = [-12.0, -9, -6, -3, 3, 6].map { decibels in
    Variant(name: "gain \(Int(decibels)) dB") { clip in
      let factor = Float(pow(10, decibels / 20))
      return AudioBuffer(
        format: .speech, samples: clip.samples.map { max(-1, min(1, $0 * factor)) })
    }
  }

  /// The clip at another speed, which also changes the pitch.
  private static let speeds = [98, 99, 101, 102].map { percent in
    Variant(name: "speed \(percent) %") { clip in
      let format = AudioFormat(sampleRate: SampleRate(hertz: 160 * percent), channelCount: 1)
      return try AudioBuffer(format: format, samples: clip.samples).converted()
    }
  }

  private static let telephone = Variant(name: "low-pass 4 kHz") { clip in
    try clip.converted(to: AudioFormat(sampleRate: 8_000, channelCount: 1)).converted()
  }

  /// The clip with white noise 20 dB below its mean power.
  private static let noisy = Variant(name: "noise 20 dB") { clip in
    let noise = noise(power: clip.samples.power / 100, seed: 2)
    let samples = noise.buffer(clip.duration, format: .speech).samples
    return AudioBuffer(format: .speech, samples: zip(clip.samples, samples).map { $0 + $1 })
  }

  /// Returns noise as loud as the quietest 0.1 s of the clip, but at least 40 dB below the clip.
  private static func floor(of clip: AudioBuffer) -> AudioSignal {
    let powers = stride(from: 0, to: clip.samples.count - 1_599, by: 1_600).map {
      clip.samples[$0..<($0 + 1_600)].power
    }
    return noise(power: min(powers.min() ?? 0, clip.samples.power / 10_000), seed: 1)
  }

  private static func noise(power: Float, seed: UInt64) -> AudioSignal {
    .noise(seed: seed, amplitude: (3 * power).squareRoot())
  }
}

extension Collection<Float> {
  /// The mean of the squares.
  var power: Float { isEmpty ? 0 : reduce(0) { $0 + $1 * $1 } / Float(count) }
}
