import FoundationEssentials
import Glibc
import SpeechEngine

/// What libvosk answers, in JSON: the words of a stretch of audio, or several readings of it.
struct VoskAnswer: Decodable, Equatable {
  /// A word, with times in seconds since the recognizer was made.
  struct Word: Decodable, Equatable {
    var word: String
    var start: Double?
    var end: Double?
    var conf: Double?
  }

  /// One reading of a stretch: its text, and its words where libvosk was asked for them.
  struct Reading: Decodable, Equatable {
    var text: String
    var result: [Word]?
    /// A likelihood, of which only the difference to another reading's says something.
    var confidence: Double?

    /// The words; without times where libvosk gave the text alone.
    var words: [Word] {
      result ?? text.split(whereSeparator: \.isWhitespace).map { Word(word: String($0)) }
    }
  }

  private let text: String?
  private let result: [Word]?
  private let partial: String?
  private let partialResult: [Word]?
  private let alternatives: [Reading]?

  private enum CodingKeys: String, CodingKey {
    case text, result, partial, alternatives
    case partialResult = "partial_result"
  }

  /// The readings of a stretch that is over, the likeliest first; nil where it has no text.
  var readings: [Reading]? {
    alternatives ?? text.map { [Reading(text: $0, result: result)] }
  }

  /// The reading of a stretch that goes on; nil where the answer is another one.
  var partialReading: Reading? {
    if let partial { return Reading(text: partial, result: partialResult) }
    // So it is answered where nothing has been heard.
    return readings?.first?.text == "" ? Reading(text: "") : nil
  }
}

extension VoskAnswer {
  /// No answer about a stretch of speech is longer.
  static let longest = 16 << 20

  /// Reads what libvosk has given, which is valid until the recognizer is called again.
  ///
  /// - Throws: `.failed` for no text, one without an end, one that is not UTF-8, and other JSON
  ///   than an answer.
  init(_ text: UnsafePointer<CChar>?) throws(SpeechEngineError) {
    guard let text else { throw .failed(reason: "libvosk gave no answer") }
    let length = strnlen(text, Self.longest)
    guard length < Self.longest else { throw .failed(reason: "libvosk's answer has no end") }
    // So many bytes lie there before the text's end.
    let bytes = UnsafeBufferPointer(start: text, count: length)
    try self.init(json: bytes.map { UInt8(bitPattern: $0) })
  }

  init(json: [UInt8]) throws(SpeechEngineError) {
    guard let text = String(validating: json, as: UTF8.self) else {
      throw .failed(reason: "libvosk's answer is not UTF-8")
    }
    do {
      self = try JSONDecoder().decode(VoskAnswer.self, from: Data(json))
    } catch {
      throw .failed(reason: "libvosk's answer is not what it should be: \(text.prefix(80))")
    }
  }
}
