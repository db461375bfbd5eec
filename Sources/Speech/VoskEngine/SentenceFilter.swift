import AudioCore
import FoundationEssentials
import SpeechEngine

/// The allowed sentences of a stream: dictation, a grammar, or key phrases.
///
/// Vosk treats a list of phrases only as a hint about the order of words. It may return, for
/// example, one and a half phrases, so the results are filtered.
enum SentenceFilter {
  typealias Words = [SpeechHypothesis.Word]

  case anything
  case sentences(Set<[String]>, beginnings: Set<[String]>)
  /// The key phrases, each divided into words.
  case keyPhrases([(phrase: KeyPhrase, words: [String])])

  /// The model's word for unknown words.
  static let otherWord = "[unk]"

  /// - Throws: `.unsupported`, `.grammarInvalid`, `.wordUnknown`, `.optionInvalid`.
  init(_ options: SpeechSessionOptions, model: VoskModel) throws(SpeechEngineError) {
    try model.check(options)
    if let grammar = options.grammar {
      let sentences = try JSGFGrammar(grammar).sentences { model.knows($0) }
      self = .sentences(
        sentences, beginnings: Set(sentences.flatMap { s in s.indices.map { Array(s[...$0]) } }))
    } else if !options.keyPhrases.isEmpty {
      for phrase in options.keyPhrases { try phrase.check { model.knows($0) } }
      self = .keyPhrases(options.keyPhrases.map { ($0, $0.words) })
    } else {
      self = .anything
    }
  }

  /// The phrases for libvosk as a JSON array; nil for dictation.
  var json: String? {
    let phrases: [[String]]
    switch self {
    case .anything: return nil
    case .sentences(let sentences, _):
      phrases = sentences.sorted { $0.lexicographicallyPrecedes($1) }
    case .keyPhrases(let keys): phrases = keys.map(\.words) + [[Self.otherWord]]
    }
    let texts = phrases.map { $0.joined(separator: " ") }
    return (try? JSONEncoder().encode(texts)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the part of an unfinished utterance that begins an allowed sentence.
  func beginning(of words: Words) -> Words {
    switch self {
    case .anything: return words
    case .sentences(_, let beginnings):
      let count = (0...words.count).last {
        $0 == 0 || beginnings.contains(words.prefix($0).map(\.text))
      }
      return Array(words.prefix(count ?? 0))
    case .keyPhrases(let keys): return KeyPhrase.found(keys, in: words)
    }
  }

  /// Returns the words of a finished utterance; nil if it is not an allowed sentence.
  func whole(_ words: Words) -> Words? {
    switch self {
    case .anything: return words
    case .sentences(let sentences, _): return sentences.contains(words.map(\.text)) ? words : nil
    case .keyPhrases(let keys): return KeyPhrase.found(keys, in: words)
    }
  }
}

extension KeyPhrase {
  fileprivate var words: [String] { text.split(whereSeparator: \.isWhitespace).map(String.init) }

  /// - Throws: `.wordUnknown`; `.optionInvalid` for a phrase without words, or with an invalid
  ///   threshold (the minimum confidence of each word).
  fileprivate func check(isKnown: (String) -> Bool) throws(SpeechEngineError) {
    guard !words.isEmpty else {
      throw .optionInvalid(name: "key phrase", reason: "it has no words")
    }
    if let threshold, !(threshold > 0 && threshold <= 1) {
      throw .optionInvalid(
        name: "threshold of \"\(text)\"",
        reason: "\(threshold) is not greater than 0 and at most 1")
    }
    if let word = words.first(where: { !isKnown($0) }) { throw .wordUnknown(word, phrase: text) }
  }

  /// Returns the phrases among the words, in order, each as one word.
  ///
  /// If several phrases begin at the same word, the longest is used.
  fileprivate static func found(
    _ phrases: [(phrase: KeyPhrase, words: [String])], in words: [SpeechHypothesis.Word]
  ) -> [SpeechHypothesis.Word] {
    let phrases = phrases.sorted { $0.words.count > $1.words.count }
    var found: [SpeechHypothesis.Word] = []
    var rest = words[...]
    while !rest.isEmpty {
      let count = phrases.first { $0.phrase.begins(rest, $0.words) }?.words.count
      if let count, let phrase = SpeechHypothesis.Word(joining: rest.prefix(count)) {
        found.append(phrase)
      }
      rest = rest.dropFirst(count ?? 1)
    }
    return found
  }

  private func begins(
    _ rest: ArraySlice<SpeechHypothesis.Word>, _ words: [String]
  ) -> Bool {
    guard rest.prefix(words.count).map(\.text) == words else { return false }
    guard let threshold else { return true }
    return rest.prefix(words.count).allSatisfy { ($0.confidence ?? 0) >= threshold }
  }
}

extension SpeechHypothesis.Word {
  /// Creates a phrase with the lowest confidence of its words.
  fileprivate init?(joining words: ArraySlice<Self>) {
    guard let first = words.first, let last = words.last else { return nil }
    let confidences = words.compactMap(\.confidence)
    self.init(
      words.map(\.text).joined(separator: " "),
      frames: first.frames.lowerBound..<max(first.frames.lowerBound, last.frames.upperBound),
      confidence: confidences.count == words.count ? confidences.min() : nil)
  }
}

private let engineName = "Vosk"

/// Checks options against the limits of Vosk, the library, and the model.
extension VoskModel {
  private var functions: VoskFunctions { library.functions }

  /// Throws if Vosk, the version of the library, or the model does not support an option.
  fileprivate func check(_ options: SpeechSessionOptions) throws(SpeechEngineError) {
    if let name = options.engineOptions.keys.sorted().first {
      throw .optionInvalid(
        name: name, reason: "Vosk has no options; set those of a model in its conf/model.conf")
    }
    if let obstacle = obstacle(to: options) {
      throw .unsupported(obstacle, engine: engineName)
    }
  }

  private func obstacle(to options: SpeechSessionOptions) -> String? {
    let hasKeys = !options.keyPhrases.isEmpty
    if options.alternativeCount > 0 {
      if hasKeys { return "alternatives for key phrases" }
      if functions.setMaxAlternatives == nil {
        return lacking("alternatives", "vosk_recognizer_set_max_alternatives")
      }
    }
    guard hasKeys || options.grammar != nil else { return nil }
    if hasKeys && options.grammar != nil { return "a grammar together with key phrases" }
    if functions.newRecognizerForPhrases == nil {
      return lacking("grammars", "vosk_recognizer_new_grm")
    }
    if !files.takesPhrases {
      return "grammars or key phrases with this model, whose graph is fixed; use a small model"
    }
    return hasKeys ? obstacle(toKeys: options.keyPhrases) : nil
  }

  private func obstacle(toKeys phrases: [KeyPhrase]) -> String? {
    if !knows(SentenceFilter.otherWord) {
      return "key phrases with this model, which lacks the word \(SentenceFilter.otherWord)"
    }
    let hasThreshold = phrases.contains { $0.threshold != nil }
    let hasConfidence = functions.setWords != nil && functions.setPartialWords != nil
    return hasThreshold && !hasConfidence
      ? lacking("thresholds", "vosk_recognizer_set_words") : nil
  }

  private func lacking(_ feature: String, _ symbol: String) -> String {
    "\(feature) with this library, which lacks \(symbol) (version \(VoskLibrary.knownVersion) has it)"
  }
}

extension JSGFGrammar {
  /// Returns all sentences of the public rules, because Vosk needs them as a list.
  ///
  /// - Throws: `.grammarInvalid` for an unknown rule or word; `.unsupported` for a grammar with too
  ///   many sentences.
  func sentences(
    isKnown: @escaping (String) -> Bool
  ) throws(SpeechEngineError) -> Set<[String]> {
    var sentences = GrammarSentences(grammar: self, isKnown: isKnown)
    var all: Set<[String]> = []
    for rule in publicRules {
      all.formUnion(try sentences.of(rule: rule, line: 1))
      try sentences.check(count: all.count, rule: rule)
    }
    return all.subtracting([[]])
  }
}

/// Expands rules into sentences, each rule once.
private struct GrammarSentences {
  typealias Sentences = Set<[String]>

  /// The limits of a grammar: `most` sentences in a part, `longest` words in a sentence, and
  /// `mostWords` words in all parts together, as many as in 10,000 sentences of 100 words.
  static let most = 10_000
  static let longest = 100
  static let mostWords = 1_000_000

  let grammar: JSGFGrammar
  let isKnown: (String) -> Bool
  private var known: [String: Sentences] = [:]
  private var wordCount = 0
  /// The rules that are being expanded, the outermost first.
  private var open: [String] = []
  private var depth = 0

  init(grammar: JSGFGrammar, isKnown: @escaping (String) -> Bool) {
    (self.grammar, self.isKnown) = (grammar, isKnown)
  }

  /// Returns the sentences of a rule; `line` is the line that refers to the rule.
  mutating func of(rule qualified: String, line: Int) throws(SpeechEngineError) -> Sentences {
    let name = JSGFExpansion.unqualified(qualified)
    if let sentences = known[name] { return sentences }
    let expansion = try grammar.expansion(of: name, line: line)
    guard !open.contains(name) else {
      throw Self.unsupported("contains itself (<\(name)>, line \(line))")
    }
    try JSGFGrammar.checkDepth(depth, at: name, line: line)
    open.append(name)
    let sentences = try of(expansion)
    open.removeLast()
    known[name] = sentences
    return sentences
  }

  private mutating func of(_ expansion: JSGFExpansion) throws(SpeechEngineError) -> Sentences {
    depth += 1
    defer { depth -= 1 }
    switch expansion {
    case .word(let word, let line):
      guard isKnown(word) else {
        throw .grammarInvalid(line: line, reason: "the model does not have the word \"\(word)\"")
      }
      return [[word]]
    case .rule(let name, let line): return try of(rule: name, line: line)
    case .choice(let choices):
      var all: Sentences = []
      for choice in choices {
        all.formUnion(try of(choice))
        try check(count: all.count)
      }
      return all
    case .sequence(let parts): return try of(parts: parts)
    case .repetition(_, _, let line):
      throw Self.unsupported("repeats a part without a limit (line \(line))")
    }
  }

  private mutating func of(parts: [JSGFExpansion]) throws(SpeechEngineError) -> Sentences {
    var all: Sentences = [[]]
    for part in parts {
      let next = try of(part)
      try check(count: all.count * next.count)
      all = Set(all.flatMap { beginning in next.map { beginning + $0 } })
      if all.contains(where: { $0.count > Self.longest }) {
        throw Self.unsupported("has sentences of more than \(Self.longest) words\(place())")
      }
    }
    wordCount += all.reduce(0) { $0 + $1.count }
    guard wordCount <= Self.mostWords else {
      throw Self.unsupported("has rules of more than \(Self.mostWords) words\(place())")
    }
    return all
  }

  /// Throws if a part of the grammar has too many sentences.
  ///
  /// - Parameters:
  ///   - count: the number of sentences of the part.
  ///   - rule: the rule to name in the error; nil for the innermost rule that is being expanded.
  func check(count: Int, rule: String? = nil) throws(SpeechEngineError) {
    guard count <= Self.most else {
      throw Self.unsupported("has more than \(Self.most) sentences\(place(rule))")
    }
  }

  private func place(_ rule: String? = nil) -> String {
    (rule ?? open.last).map { " (<\($0)>)" } ?? ""
  }

  private static func unsupported(_ what: String) -> SpeechEngineError {
    .unsupported("a grammar that \(what)", engine: engineName)
  }
}
