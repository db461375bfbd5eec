import FoundationEssentials
import Glibc
import SpeechEngine

/// A result of libvosk in JSON: one or several hypotheses of a segment of audio.
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

  private enum CodingKeys: String, CodingKey {
    case text, result, partial, alternatives
    case partialResult = "partial_result"
  }

  /// The hypotheses of an ended segment, the likeliest first; nil for other results.
  var hypotheses: [Hypothesis]? {
    alternatives ?? text.map { [Hypothesis(text: $0, result: result)] }
  }

  /// The hypothesis of the current segment; nil for other results.
  var partialHypothesis: Hypothesis? {
    if let partial { return Hypothesis(text: partial, result: partialResult) }
    // libvosk returns this before the first audio.
    return hypotheses?.first?.text == "" ? Hypothesis(text: "") : nil
  }
}

extension VoskResult {
  /// Longer than any result of libvosk.
  static let longest = 16 << 20

  /// Reads a result, which is valid until the next call of the recognizer.
  ///
  /// - Throws: `.failed` if the result is missing, endless, not UTF-8, or not the expected JSON.
  init(_ text: UnsafePointer<CChar>?) throws(SpeechEngineError) {
    guard let text else { throw .failed(reason: "libvosk returned no result") }
    let length = strnlen(text, Self.longest)
    guard length < Self.longest else { throw .failed(reason: "libvosk's result has no end") }
    // strnlen found this many bytes before the end of the text.
    let bytes = UnsafeBufferPointer(start: text, count: length)
    try self.init(json: bytes.map { UInt8(bitPattern: $0) })
  }

  init(json: [UInt8]) throws(SpeechEngineError) {
    guard let text = String(validating: json, as: UTF8.self) else {
      throw .failed(reason: "libvosk's result is not UTF-8")
    }
    do {
      self = try JSONDecoder().decode(VoskResult.self, from: Data(json))
    } catch {
      throw .failed(reason: "libvosk's result is not the expected JSON: \(text.prefix(80))")
    }
  }
}
