import AudioCore
import FoundationEssentials
import Glibc
import SpeechEngine

/// Assembles an utterance from libvosk's segments.
///
/// Vosk ends a segment at a long pause, even within an utterance. The words of all segments get
/// positions relative to the utterance.
struct UtteranceAssembly {
  typealias Words = [SpeechHypothesis.Word]

  /// The number of samples received so far.
  private var end: FrameCount = 0
  /// The beginning of the current segment.
  private var segmentStart: FrameCount = 0
  /// The hypotheses of each segment, the likeliest first.
  ///
  /// `cost` is how far a hypothesis's confidence is below that of the likeliest hypothesis.
  private var segments: [[(hypothesis: SpeechHypothesis, cost: Double)]] = []
  private var partial = SpeechHypothesis()

  mutating func add(_ frames: FrameCount) {
    end = end + frames
  }

  /// Sets the partial hypothesis of the current segment.
  mutating func setPartial(_ hypothesis: VoskResult.Hypothesis) {
    partial = self.hypothesis(hypothesis)
  }

  /// Ends the segment with its hypotheses, the likeliest first.
  mutating func endSegment(_ hypotheses: [VoskResult.Hypothesis]) {
    partial = SpeechHypothesis()
    let best = hypotheses.first?.confidence ?? 0
    segments.append(hypotheses.map { (hypothesis($0), best - ($0.confidence ?? best)) })
    segmentStart = end
  }

  /// The words so far.
  var words: Words { best + partial.words }

  /// Whether any word has an estimated time.
  var hasEstimatedTimes: Bool {
    partial.hasEstimatedTimes
      || segments.contains { $0.first?.hypothesis.hasEstimatedTimes ?? false }
  }

  /// The alternatives for the whole utterance, the likeliest first.
  ///
  /// Each differs from the best words in only one segment.
  var alternatives: [Words] {
    let all = segments.indices.flatMap { index in
      segments[index].dropFirst().map { other in
        (words: best(replacing: index, with: other.hypothesis.words), cost: other.cost)
      }
    }
    var seen: Set<[String]> = [best.map(\.text)]
    return all.sorted { $0.cost < $1.cost }.map(\.words).filter {
      seen.insert($0.map(\.text)).inserted
    }
  }

  private var best: Words { segments.flatMap { $0.first?.hypothesis.words ?? [] } }

  private func best(replacing index: Int, with words: Words) -> Words {
    segments.indices.flatMap {
      $0 == index ? words : segments[$0].first?.hypothesis.words ?? []
    }
  }

  private func hypothesis(_ result: VoskResult.Hypothesis) -> SpeechHypothesis {
    let words = result.words
    // If a word lacks a time, libvosk returned only the text, so all times are estimated.
    let hasTimes = words.allSatisfy { $0.start != nil && $0.end != nil }
    var hypothesis = SpeechHypothesis(words: hasTimes ? timed(words) : spread(words))
    hypothesis.hasEstimatedTimes = !hasTimes
    return hypothesis
  }

  private func timed(_ words: [VoskResult.Word]) -> Words {
    words.filter(\.isSpeech).map { word in
      let first = frame(at: word.start ?? 0)
      let last = max(first, frame(at: word.end ?? 0))
      return SpeechHypothesis.Word(
        word.word, frames: first..<last, confidence: word.conf.map { min(1, max(0, $0)) })
    }
  }

  /// Spreads words without times evenly over the segment, each at most half a second long.
  private func spread(_ words: [VoskResult.Word]) -> Words {
    let speech = words.filter(\.isSpeech)
    let length = end - segmentStart
    let share = min(length.rawValue / max(1, speech.count), SampleRate.speech.hertz / 2)
    return speech.enumerated().map { index, word in
      let first = segmentStart + FrameCount(index * share)
      return SpeechHypothesis.Word(word.word, frames: first..<first + FrameCount(share))
    }
  }

  /// Returns the frame for a time since the recognizer was created, clamped to the utterance.
  private func frame(at seconds: Double) -> FrameCount {
    let frame = Int(clamping: seconds * Double(SampleRate.speech.hertz))
    return FrameCount(min(end.rawValue, max(0, frame)))
  }
}

extension VoskResult.Word {
  /// Whether the text is a word and not a mark of silence, noise, or an unknown word.
  fileprivate var isSpeech: Bool {
    !word.isEmpty && word != "!SIL" && !(word.hasPrefix("[") && word.hasSuffix("]"))
      && !(word.hasPrefix("<") && word.hasSuffix(">"))
  }
}

/// A result of libvosk in JSON: one or more hypotheses for a segment of audio.
struct VoskResult: Decodable, Equatable {
  /// A word, with times in seconds since the recognizer was created.
  struct Word: Decodable, Equatable {
    var word: String
    var start: Double?
    var end: Double?
    var conf: Double?
  }

  /// A hypothesis of a segment: its text, and its words if they were requested.
  struct Hypothesis: Decodable, Equatable {
    var text: String
    var result: [Word]?
    /// A likelihood, which is meaningful only relative to other hypotheses.
    var confidence: Double?

    /// The words, without times if libvosk returned only the text.
    var words: [Word] {
      result ?? text.split(whereSeparator: \.isWhitespace).map { Word(word: String($0)) }
    }
  }

  private let text: String?
  private let result: [Word]?
  private let partial: String?
  private let partialResult: [Word]?
  private let alternatives: [Hypothesis]?

  /// The hypotheses of an ended segment, the likeliest first; nil if the result is partial.
  var hypotheses: [Hypothesis]? {
    alternatives ?? text.map { [Hypothesis(text: $0, result: result)] }
  }

  /// The hypothesis of the current segment; nil if the result is not partial.
  var partialHypothesis: Hypothesis? {
    if let partial { return Hypothesis(text: partial, result: partialResult) }
    // Before the first audio, libvosk returns an empty text instead of a partial hypothesis.
    return hypotheses?.first?.text == "" ? Hypothesis(text: "") : nil
  }
}

extension VoskResult {
  /// A length that exceeds any result of libvosk.
  static let longest = 16 << 20

  /// Reads a result of libvosk; the pointer is valid until the next call of the recognizer.
  ///
  /// - Throws: `.failed` if the result is missing, endless, not UTF-8, or not the expected JSON.
  init(_ text: UnsafePointer<CChar>?) throws(SpeechEngineError) {
    guard let text else { throw .failed(reason: "libvosk returned no result") }
    let length = strnlen(text, Self.longest)
    guard length < Self.longest else { throw .failed(reason: "libvosk's result has no end") }
    // `strnlen` found the end of the text after this many bytes.
    let bytes = UnsafeBufferPointer(start: text, count: length)
    try self.init(json: bytes.map { UInt8(bitPattern: $0) })
  }

  init(json: [UInt8]) throws(SpeechEngineError) {
    guard let text = String(validating: json, as: UTF8.self) else {
      throw .failed(reason: "libvosk's result is not UTF-8")
    }
    do {
      let decoder = JSONDecoder()
      decoder.keyDecodingStrategy = .convertFromSnakeCase
      self = try decoder.decode(VoskResult.self, from: Data(json))
    } catch {
      throw .failed(reason: "libvosk's result is not the expected JSON: \(text.prefix(80))")
    }
  }
}
