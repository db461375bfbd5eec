import AudioCore
import SpeechEngine

/// Puts an utterance together from the stretches that libvosk makes of it.
///
/// Vosk ends a stretch where it finds a pause long enough, within an utterance as well; none of the
/// words is lost by that, and all of them are on the utterance's own time-line.
struct UtteranceAssembly {
  typealias Words = [SpeechHypothesis.Word]

  /// One way to understand a stretch.
  private struct Reading {
    var words: Words = []
    /// How much less likely it is than the best.
    var cost = 0.0
    /// Whether libvosk gave the text alone.
    var hasEstimatedTimes = false
  }

  /// Where the utterance begins, and how far it has been heard, since the recognizer was made.
  private var start: FrameCount = 0
  private var end: FrameCount = 0
  /// Where the stretch that goes on begins in the utterance.
  private var stretchStart: FrameCount = 0
  private var stretches: [[Reading]] = []
  private var partial = Reading()

  /// Begins an utterance where the last one ended.
  mutating func begin() {
    start = end
    stretchStart = 0
    stretches = []
    partial = Reading()
  }

  /// So many frames more have been heard.
  mutating func add(_ frames: FrameCount) {
    end = end + frames
  }

  /// Takes what the stretch is taken for so far.
  mutating func show(_ reading: VoskAnswer.Reading) {
    partial = self.reading(reading)
  }

  /// Takes the readings of the stretch that has ended, the likeliest first.
  mutating func endStretch(_ readings: [VoskAnswer.Reading]) {
    partial = Reading()
    stretches.append(readings.map { reading($0, best: readings.first) })
    stretchStart = end - start
  }

  /// The words so far.
  var words: Words { best + partial.words }

  /// Whether any of them has only a share of the time of its stretch.
  var hasEstimatedTimes: Bool {
    partial.hasEstimatedTimes || stretches.contains { $0.first?.hasEstimatedTimes ?? false }
  }

  /// Other ways to understand the whole: each differs in one stretch, the likelier first.
  var alternatives: [Words] {
    let all = stretches.indices.flatMap { index in
      stretches[index].dropFirst().map { reading in
        (words: best(replacing: index, with: reading.words), cost: reading.cost)
      }
    }
    var seen: Set<[String]> = [best.map(\.text)]
    return all.sorted { $0.cost < $1.cost }.map(\.words).filter {
      seen.insert($0.map(\.text)).inserted
    }
  }

  private var best: Words { stretches.flatMap { $0.first?.words ?? [] } }

  private func best(replacing index: Int, with words: Words) -> Words {
    stretches.indices.flatMap { $0 == index ? words : stretches[$0].first?.words ?? [] }
  }

  private func reading(
    _ reading: VoskAnswer.Reading, best: VoskAnswer.Reading? = nil
  ) -> Reading {
    let words = reading.words
    let hasTimes = words.allSatisfy { $0.start != nil && $0.end != nil }
    let likeliest = best?.confidence ?? 0
    return Reading(
      words: hasTimes ? timed(words) : spread(words),
      cost: likeliest - (reading.confidence ?? likeliest), hasEstimatedTimes: !hasTimes)
  }

  private func timed(_ words: [VoskAnswer.Word]) -> Words {
    words.filter(\.isSpeech).map { word in
      let first = frame(at: word.start ?? 0)
      let last = max(first, frame(at: word.end ?? 0))
      return SpeechHypothesis.Word(
        word.word, frames: first..<last, confidence: word.conf.map { min(1, max(0, $0)) })
    }
  }

  /// Words without times share what has been heard of the stretch evenly, none for longer than half
  /// a second.
  private func spread(_ words: [VoskAnswer.Word]) -> Words {
    let speech = words.filter(\.isSpeech)
    let length = (end - start) - stretchStart
    let share = min(length.rawValue / max(1, speech.count), SampleRate.speech.hertz / 2)
    return speech.enumerated().map { index, word in
      let first = stretchStart + FrameCount(index * share)
      return SpeechHypothesis.Word(word.word, frames: first..<first + FrameCount(share))
    }
  }

  /// The frame of the utterance at a time since the recognizer was made; none outside of it.
  private func frame(at seconds: Double) -> FrameCount {
    let longest = (end - start).rawValue
    let frame = (seconds * Double(SampleRate.speech.hertz)).rounded() - Double(start.rawValue)
    return FrameCount(Int(min(Double(longest), max(0, frame))))
  }
}

extension VoskAnswer.Word {
  /// Whether it is a word, and no mark for silence, noise or a word that the model does not have.
  fileprivate var isSpeech: Bool {
    !word.isEmpty && word != "!SIL" && !(word.hasPrefix("[") && word.hasSuffix("]"))
      && !(word.hasPrefix("<") && word.hasSuffix(">"))
  }
}
