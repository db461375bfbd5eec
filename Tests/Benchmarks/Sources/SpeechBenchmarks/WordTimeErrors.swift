import AudioCore
import Foundation
import MoonshineEngine
import SpeechEngine
import Synchronization

/// How far the times of words are off, and how soon a session ends that is interrupted.
///
/// Clips are joined to utterances with known gaps: where the first and the last word of each lie, its sound
/// says.
enum WordTimeErrors {
  private static let gap = [Float](repeating: 0, count: 8_000)

  static func measure(on bench: SpeechBench) throws -> [Finding] {
    let clips = try bench.clips.map { clip in
      (
        samples: try SpeechBench.buffer(of: clip.url).samples,
        wordCount: clip.words.split(separator: " ").count
      )
    }
    let session = try SpeechEngine.moonshine().makeSession(SpeechSessionOptions())
    let (errors, skipped) = try errors(in: clips, by: session)
    let share = Double(errors.count { $0 > .milliseconds(100) }) / Double(max(1, errors.count))
    return [
      Finding(
        name: "moonshine: the first and last word of a clip are off, median",
        value: errors.median.inSeconds, unit: "s", bound: 0.06, remark: "of \(errors.count)"),
      Finding(
        name: "moonshine: those that are off by more than 0.1 s", value: share * 100, unit: "%",
        bound: 0, remark: "the worst \(errors.max()?.inSeconds ?? 0) s, \(skipped) clips misheard"),
      Finding(
        name: "moonshine: interrupted → the decode ends, the worst",
        value: try interruption(of: clips.flatMap(\.samples)).inSeconds, unit: "s", bound: 0.1),
    ]
  }

  /// How far the begin of each clip's first word and the end of its last one are off, three clips at a
  /// time; what is heard with more or fewer words cannot be compared.
  static func errors(
    in clips: [(samples: [Float], wordCount: Int)], by session: any SpeechEngineSession
  ) throws -> (errors: [Duration], skipped: Int) {
    var (errors, skipped) = ([Duration](), 0)
    for begin in clips.indices {
      var (audio, known) = (gap, [(count: Int, voice: Range<Int>)]())
      for clip in (begin..<begin + 3).map({ clips[$0 % clips.count] }) {
        guard audio.count + clip.samples.count < 19 * 16_000 else { break }
        let voice = voice(in: clip.samples)
        known.append(
          (clip.wordCount, audio.count + voice.lowerBound..<audio.count + voice.upperBound))
        audio += clip.samples + gap
      }
      try session.beginUtterance()
      try session.process(audio)
      var words = try session.finishUtterance().words[...]
      guard !known.isEmpty, words.count == known.reduce(0, { $0 + $1.count }) else {
        skipped += 1
        continue
      }
      for (count, voice) in known {
        let own = words.prefix(count)
        words = words.dropFirst(count)
        guard let first = own.first, let last = own.last else { continue }
        errors.append(distance(first.frames.lowerBound.rawValue, voice.lowerBound))
        errors.append(distance(last.frames.upperBound.rawValue, voice.upperBound))
      }
    }
    return (errors, skipped)
  }

  private static func distance(_ one: Int, _ other: Int) -> Duration {
    .seconds(Double(abs(one - other)) / 16_000)
  }

  /// From the first to the last 10 ms that are within 30 dB of the loudest.
  private static func voice(in samples: [Float]) -> Range<Int> {
    let powers = stride(from: 0, to: samples.count - 160, by: 160).map { begin in
      samples[begin..<begin + 160].reduce(0) { $0 + $1 * $1 }
    }
    let least = (powers.max() ?? 0) / 1_000
    let first = powers.firstIndex { $0 >= least } ?? 0
    let last = powers.lastIndex { $0 >= least } ?? 0
    return first * 160..<(last + 1) * 160
  }

  /// The worst of several, each a bit later in a decode of 19 s.
  private static func interruption(of audio: [Float]) throws -> Duration {
    try (1...8).map { number in
      let session = try SpeechEngine.moonshine().makeSession(SpeechSessionOptions())
      try session.beginUtterance()
      try session.process(Array(audio.prefix(19 * 16_000)))
      let (told, interrupt) = (Told(), session.interrupt)
      Thread {
        Thread.sleep(forTimeInterval: 0.1 * Double(number))
        told.time.withLock { $0 = .now }
        interrupt()
      }.start()
      do {
        _ = try session.finishUtterance()
        return .zero
      } catch SpeechEngineError.interrupted {
        return told.time.withLock { $0?.duration(to: .now) } ?? .zero
      }
    }.max() ?? .zero
  }

  /// When a session was interrupted.
  private final class Told: Sendable {
    let time = Mutex<ContinuousClock.Instant?>(nil)
  }
}
