import AudioCore
import BenchmarkTools
import Foundation
import MoonshineEngine
import SpeechEngine
import Synchronization

/// Measures the errors of word times, and how soon an interrupted session ends.
///
/// There are two measures of word times. Clips are joined with gaps, so the beginning of each
/// clip's first word and the end of its last word are known. For synthetic speech, flite reports
/// the time of each phone.
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
    let joined = try errors(in: clips, by: session)
    let off = joined.errors.count { $0 > .milliseconds(100) }
    let synthetic = try SyntheticSpeech.errors(by: session, in: bench.folder)
    return [
      Finding(
        name: "moonshine: the first and last word of a clip are off, median",
        value: joined.errors.median.inSeconds, unit: "s", bound: 0.06,
        remark: "of \(joined.errors.count)"),
      Finding(
        name: "moonshine: those that are off by more than 0.1 s",
        value: Double(off) / Double(max(1, joined.errors.count)) * 100, unit: "%", bound: 0,
        remark:
          "the worst \(joined.errors.max()?.inSeconds ?? 0) s, \(joined.skipped) groups with other words"
      ),
      Finding(
        name: "moonshine: words of synthetic speech are off, median",
        value: synthetic.errors.median.inSeconds, unit: "s", bound: 0.06,
        remark:
          "of \(synthetic.errors.count), the worst \(synthetic.errors.max()?.inSeconds ?? 0) s, \(synthetic.skipped) sentences with other words"
      ),
      Finding(
        name: "moonshine: interrupted → the decode ends, the worst",
        value: try interruption(of: clips.flatMap(\.samples)).inSeconds, unit: "s", bound: 0.1),
    ]
  }

  /// Returns the errors of the beginning of each clip's first word and of the end of its last word.
  ///
  /// Three clips are joined and recognized together. They are skipped if the number of words is
  /// wrong, because the words then cannot be assigned to the clips.
  private static func errors(
    in clips: [(samples: [Float], wordCount: Int)], by session: any SpeechEngineSession
  ) throws -> (errors: [Duration], skipped: Int) {
    var (errors, skipped) = ([Duration](), 0)
    for begin in clips.indices {
      var (audio, known) = (gap, [(count: Int, begin: Int, end: Int?)]())
      for clip in (begin..<begin + 3).map({ clips[$0 % clips.count] }) {
        guard audio.count + clip.samples.count < 19 * 16_000 else { break }
        let edges = edges(of: clip.samples)
        known.append(
          (clip.wordCount, audio.count + edges.begin, edges.end.map { audio.count + $0 }))
        audio += clip.samples + gap
      }
      let words = try session.words(in: audio)
      guard !known.isEmpty, words.count == known.reduce(0, { $0 + $1.count }) else {
        skipped += 1
        continue
      }
      var rest = words[...]
      for (count, begin, end) in known {
        let own = rest.prefix(count)
        rest = rest.dropFirst(count)
        guard let first = own.first, let last = own.last else { continue }
        errors.append(distance(first.frames.lowerBound.rawValue, begin))
        if let end { errors.append(distance(last.frames.upperBound.rawValue, end)) }
      }
    }
    return (errors, skipped)
  }

  fileprivate static func distance(_ one: Int, _ other: Int) -> Duration {
    .seconds(Double(abs(one - other)) / 16_000)
  }

  /// Returns the first and the last 10 ms of a clip that are within 25 dB of its loudest 10 ms.
  ///
  /// No noise in these clips is that loud. A clip that stops during a word has no end.
  private static func edges(of samples: [Float]) -> (begin: Int, end: Int?) {
    let powers = stride(from: 0, to: samples.count - 160, by: 160).map { begin in
      samples[begin..<begin + 160].reduce(0) { $0 + $1 * $1 }
    }
    let least = (powers.max() ?? 0) / 316
    let first = powers.firstIndex { $0 >= least } ?? 0
    let last = powers.lastIndex { $0 >= least } ?? 0
    return (first * 160, last + 1 < powers.count ? (last + 1) * 160 : nil)
  }

  /// Returns the longest time that a session needed to end after an interruption.
  ///
  /// A decode of 19 s is interrupted after 0.1 s, 0.2 s, and so on up to 0.8 s.
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

  /// The time at which a session was interrupted.
  private final class Told: Sendable {
    let time = Mutex<ContinuousClock.Instant?>(nil)
  }
}

/// Sentences spoken by flite's voices, with the times of their phones.
private enum SyntheticSpeech {
  private static let voices = ["slt", "rms"]
  private static let sentences = [
    "Four score and seven years ago, our fathers brought forth a new nation.",
    "Please call me back tomorrow morning, when the office is open.",
    "We measure the time of every word, and we compare it with the truth.",
    "A gentle wind moved over the water, and the small boats turned slowly.",
    "Turn left at the second corner and go straight on.",
    "Nobody knows how long the meeting will last.",
  ]

  /// Returns the errors of the beginnings and ends of all words.
  ///
  /// A sentence with more or fewer words than expected is skipped, because it cannot be compared.
  static func errors(
    by session: any SpeechEngineSession, in folder: URL
  ) throws -> (errors: [Duration], skipped: Int) {
    var (errors, skipped) = ([Duration](), 0)
    for voice in voices {
      for sentence in sentences {
        let file = folder.appending(path: "synthetic.wav")
        let places = try places(of: sentence, voice: voice, file: file)
        let words = try session.words(in: try SpeechBench.buffer(of: file).samples)
        guard words.count == places.count else {
          skipped += 1
          continue
        }
        for (word, place) in zip(words, places) {
          errors.append(WordTimeErrors.distance(word.frames.lowerBound.rawValue, place.lowerBound))
          errors.append(WordTimeErrors.distance(word.frames.upperBound.rawValue, place.upperBound))
        }
      }
    }
    return (errors, skipped)
  }

  /// Returns the frame range of each word of a sentence.
  ///
  /// A word is assumed to have as many phones in the sentence as when it is spoken alone.
  private static func places(of sentence: String, voice: String, file: URL) throws -> [Range<Int>] {
    var phones = try phones(of: sentence, voice: voice, file: file.path)[...]
    return try sentence.split { !$0.isLetter }.compactMap { word in
      let own = phones.prefix(try self.phones(of: String(word), voice: voice, file: "none").count)
      phones = phones.dropFirst(own.count)
      guard let begin = own.first?.lowerBound, let end = own.last?.upperBound else { return nil }
      return begin..<end
    }
  }

  /// Returns the frames of each phone except pauses; flite prints phones as `name:end`, in seconds.
  private static func phones(of text: String, voice: String, file: String) throws -> [Range<Int>] {
    let output = try Program.output(["flite", "-voice", voice, "-psdur", "-t", text, "-o", file])
    var begin = 0
    return output.split(separator: " ").compactMap { phone in
      let parts = phone.split(separator: ":")
      guard let end = parts.last.flatMap({ Double($0) }) else { return nil }
      defer { begin = Int(end * 16_000) }
      return parts[0] == "pau" ? nil : begin..<Int(end * 16_000)
    }
  }
}

extension SpeechEngineSession {
  fileprivate func words(in audio: [Float]) throws -> [SpeechHypothesis.Word] {
    try beginUtterance()
    try process(audio)
    return try finishUtterance().words
  }
}
