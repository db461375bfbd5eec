package import AudioCore
import CPocketSphinx
import FilePaths
import FoundationEssentials
package import SpeechEngine
import Synchronization

/// Finds the positions of known words in utterances, for engines that return words without times.
///
/// Thread safety: any number of threads may use it at the same time. It keeps loaded aligners for
/// reuse, at most one per processor.
package final class WordAlignment: Sendable {
  private let location = ModelLocation(chosen: nil)
  private let hasPrepared = Atomic(false)
  private let idle = IdlePool<TimestampAligner>()

  package init() {}

  /// Loads an aligner in advance; later calls do nothing.
  ///
  /// Errors are ignored, because `places` throws them when it is called.
  package func prepare(language: String) {
    guard hasPrepared.exchange(true, ordering: .relaxed) == false,
      (try? location.check(language: language)) != nil, let aligner = try? acquire()
    else { return }
    idle.keep(aligner)
  }

  /// Finds each word with PocketSphinx's model for the language, which must be installed.
  ///
  /// - Parameters:
  ///   - words: the words in usual spelling; punctuation is ignored.
  ///   - samples: the utterance at 16 kHz.
  ///   - language: the spoken language.
  ///   - isWanted: called ten times for each second of the utterance; returns false to end the
  ///     search with `.interrupted`.
  /// - Returns: the frames of each word; nil if no words are found. An element is nil if the
  ///   dictionary lacks the word.
  /// - Throws: `SpeechEngineError`: `.modelMissing`, `.languageMissing`, `.interrupted`, and
  ///   others.
  package func places(
    of words: [String], in samples: [Float], language: String, while isWanted: () -> Bool
  ) throws(SpeechEngineError) -> [Range<FrameCount>?]? {
    try location.check(language: language)
    let parts = words.map(Self.parts)
    let aligner = try acquire()
    let places = try aligner.places(
      of: parts.flatMap(\.self), in: samples.inSixteenBits, while: isWanted)
    idle.keep(aligner)
    guard var rest = places?[...] else { return nil }
    return parts.map { parts in
      let own = rest.prefix(parts.count)
      rest = rest.dropFirst(parts.count)
      guard let first = own.first, let begin = first?.lowerBound, let end = own.last??.upperBound
      else { return nil }
      return begin..<end
    }
  }

  /// Returns the dictionary words of a word: "twenty" and "five" for both "Twenty-five!" and "25".
  private static func parts(of word: String) -> [String] {
    if let number = Int(word[...].trimmed { ".,;:!?\"()".contains($0) }),
      let words = number.spoken
    {
      return words
    }
    return word.lowercased().replacing("\u{2019}", with: "'")
      .split { !($0.isLetter || $0.isNumber || $0 == "'" || $0 == ".") }
      .map { part in String(part.trimmed { $0 == "." || $0 == "'" }) }
      .filter { !$0.isEmpty }
  }

  private func acquire() throws(SpeechEngineError) -> TimestampAligner {
    if let aligner = idle.popFirst() { return aligner }
    return try TimestampAligner(model: location.find())
  }
}

extension Int {
  private static let small = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
  ]
  private static let tens = [
    "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
  ]

  /// The English words of a number from 0 to 99; nil for any other number, which may be a year or
  /// be spoken as digits.
  fileprivate var spoken: [String]? {
    switch self {
    case 0..<20: [Self.small[self]]
    case 20..<100: [Self.tens[self / 10 - 2]] + (self % 10 > 0 ? [Self.small[self % 10]] : [])
    default: nil
    }
  }
}

extension Substring {
  fileprivate func trimmed(_ isOuter: (Character) -> Bool) -> Substring {
    let start = drop(while: isOuter)
    return start[..<(start.lastIndex { !isOuter($0) }.map(start.index(after:)) ?? start.startIndex)]
  }
}

/// Aligns an utterance with its words.
///
/// It needs only the acoustic model and the dictionary. It takes 20 MB of memory, and a hundredth
/// of the utterance's duration.
///
/// Thread safety: one thread at a time.
private final class TimestampAligner {
  private let decoder: OpaquePointer
  private let frontEnd: FrontEnd
  private let dictionary: ModelBytes
  /// The model's phones, except those of silence and noise.
  ///
  /// Each phone is added as a word, so that any sequence of phones can represent an unknown word.
  private let phones: [String]
  /// Whether the dictionary contains a word, for each word looked up so far.
  private var known: [String: Bool] = [:]
  private var search: String?

  /// - Throws: `SpeechEngineError` if the model is damaged.
  init(model: ModelFiles) throws(SpeechEngineError) {
    phones = try model.validateAcoustics()
    dictionary = try ModelBytes(path: model.dictionary)
    let configuration = try SphinxConfiguration()
    configuration.useAcoustics(of: model)
    guard let made = configuration.makeDecoder() else {
      throw .failed(reason: "PocketSphinx could not load the model in \(FilePath(model.directory))")
    }
    frontEnd = try FrontEnd(configuration: ps_get_config(made))
    decoder = made
    for phone in phones { ps_add_word(decoder, phone, phone, 0) }
  }

  deinit {
    ps_free(decoder)
  }

  /// Returns the frames of each word; nil if no words are found.
  ///
  /// An element is nil if the dictionary lacks the word.
  ///
  /// - Parameters:
  ///   - words: the words in the dictionary's spelling, in order.
  ///   - samples: the utterance at 16 kHz.
  ///   - isWanted: called every 0.1 s of audio; returns false to end the search with
  ///     `.interrupted`.
  func places(
    of words: [String], in samples: [Int16], while isWanted: () -> Bool
  ) throws(SpeechEngineError) -> [Range<FrameCount>?]? {
    learn(words)
    guard words.contains(where: { known[$0] == true }) else { return nil }
    try search(for: words)
    ps_start_stream(decoder)
    try Decoder.check(ps_start_utt(decoder), "ps_start_utt")
    if let mean = mean(of: samples) { Decoder.setCepstralMean(mean, of: decoder) }
    for begin in stride(from: 0, to: samples.count, by: 1_600) {
      guard isWanted() else { throw .interrupted }
      let piece = Array(samples[begin..<min(begin + 1_600, samples.count)])
      try Decoder.check(ps_process_raw(decoder, piece, piece.count, 0, 0), "ps_process_raw")
    }
    try Decoder.check(ps_end_utt(decoder), "ps_end_utt")
    var found = Decoder.words(from: ps_seg_iter(decoder)).filter { !phones.contains($0.text) }[...]
    let places = words.map { word in known[word] == true ? found.popFirst()?.frames : nil }
    return places.contains { $0 != nil } ? places : nil
  }

  /// Adds the words that the dictionary contains, with every pronunciation.
  private func learn(_ words: [String]) {
    let new = Set(words.filter { known[$0] == nil })
    guard !new.isEmpty else { return }
    var wanted = Vocabulary()
    for word in new {
      known[word] = false
      wanted.insert(WordHash(of: word.utf8))
    }
    let lines = dictionary.excerpt(within: wanted)
    for line in lines.split(separator: UInt8(ascii: "\n")) {
      let fields = String(decoding: line, as: UTF8.self)
        .split(maxSplits: 1, whereSeparator: \.isWhitespace).map(String.init)
      guard fields.count == 2, let word = fields[0].dictionarySpelling, new.contains(word)
      else { continue }
      if ps_add_word(decoder, fields[0], fields[1], 0) >= 0 { known[word] = true }
    }
  }

  /// Changes the search to exactly these words in this order.
  ///
  /// PocketSphinx allows pauses between the words.
  private func search(for words: [String]) throws(SpeechEngineError) {
    let sequence = words.map { known[$0] == true ? $0 : "<any>" }.joined(separator: " ")
    let grammar = """
      #JSGF V1.0; grammar words; <any> = (\(phones.joined(separator: " | ")))+;
      public <words> = \(sequence);
      """
    let name = search == "words" ? "more words" : "words"
    try Decoder.check(ps_add_jsgf_string(decoder, name, grammar), "ps_add_jsgf_string")
    try Decoder.check(ps_activate_search(decoder, name), "ps_activate_search")
    if let search { ps_remove_search(decoder, search) }
    search = name
  }

  private func mean(of samples: [Int16]) -> [Float]? {
    var mean = UtteranceMean()
    frontEnd.begin()
    frontEnd.process(samples) { mean.add($0) }
    return mean.value
  }
}
