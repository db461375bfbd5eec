import AudioCore
import CPocketSphinx
import FilePaths
import Glibc
import SpeechEngine

/// One PocketSphinx decoder with its model, about 100 MB.
///
/// It is a class, because a decoder moves from the pool to a session and back. Thread safety: one
/// thread at a time.
final class Decoder {
  /// The number of samples in 10 ms, the frame by which PocketSphinx measures time.
  static let samplesPerFrame = 160
  /// The number of samples per call to PocketSphinx.
  private static let step = 1_600

  let settings: DecoderSettings
  /// Whether the decoder has loaded every word of the dictionary, not only those of the language
  /// model.
  let knowsWholeDictionary: Bool
  let decoder: OpaquePointer
  private let probabilities: OpaquePointer
  private(set) var isInUtterance = false
  private(set) var current = DecoderSearch.anything

  /// Loads a validated model.
  ///
  /// If a file is truncated, PocketSphinx may end the process, so the model must be validated.
  ///
  /// If `wholeDictionary` is true, every word of the dictionary is loaded, which takes longer.
  init(
    model: ValidatedModel, wholeDictionary: Bool, settings: DecoderSettings = DecoderSettings()
  ) throws(SpeechEngineError) {
    self.settings = settings
    let configuration = try SphinxConfiguration()
    configuration.use(settings)
    let (made, isWhole) = withMemoryFile(wholeDictionary ? [] : model.knownWords) { words in
      configuration.use(model.files, dictionary: words)
      return (configuration.makeDecoder(), words == nil)
    }
    knowsWholeDictionary = isWhole
    guard let decoder = made, let logmath = ps_get_logmath(decoder) else {
      throw .failed(
        reason: "PocketSphinx could not load the model in \(FilePath(model.files.directory))")
    }
    self.decoder = decoder
    probabilities = logmath
  }

  deinit {
    ps_free(decoder)
  }

  /// Makes a front end with the model's parameters, to compute cepstra before the decoder does.
  func makeFrontEnd() throws(SpeechEngineError) -> FrontEnd {
    try FrontEnd(configuration: ps_get_config(decoder))
  }

  /// Changes the search for the next utterances.
  ///
  /// The corresponding C functions are `ps_add_jsgf_string`, `ps_add_kws`, and
  /// `ps_activate_search`; before version 5, `ps_set_jsgf_string`, `ps_set_kws`, and
  /// `ps_set_search`.
  ///
  /// - Throws: `.grammarInvalid` and `.wordUnknown`; the decoder then recognizes dictation.
  func search(for wanted: DecoderSearch) throws(SpeechEngineError) {
    if let name = current.name {
      try Self.check(ps_activate_search(decoder, "_default"), "ps_activate_search")
      ps_remove_search(decoder, name)
      current = .anything
    }
    guard let name = wanted.name else { return }
    switch wanted {
    case .anything: return
    case .grammar(let grammar): try load(grammar, name: name)
    case .keyPhrases(let phrases): try load(phrases, name: name)
    }
    try Self.check(ps_activate_search(decoder, name), "ps_activate_search")
    current = wanted
  }

  /// Begins an utterance.
  ///
  /// Frame numbers restart at 0.
  func begin() throws(SpeechEngineError) {
    ps_start_stream(decoder)
    try Self.check(ps_start_utt(decoder), "ps_start_utt")
    isInUtterance = true
  }

  /// Sets the mean that the decoder subtracts from later cepstra.
  func setCepstralMean(_ mean: [Float]) { Self.setCepstralMean(mean, of: decoder) }

  /// Sets the mean that a decoder subtracts from later cepstra.
  ///
  /// The corresponding C function is `ps_set_cmn`; before version 5, `cmn_live_set`.
  static func setCepstralMean(_ mean: [Float], of decoder: OpaquePointer) {
    _ = ps_set_cmn(decoder, mean.map { "\($0)" }.joined(separator: ","))
  }

  /// Searches more samples, a tenth of a second per call.
  ///
  /// - Throws: `.interrupted` between two calls.
  func search(
    _ samples: [Int16], until interruption: InterruptionFlag = InterruptionFlag()
  ) throws(SpeechEngineError) {
    for begin in stride(from: 0, to: samples.count, by: Self.step) {
      try interruption.check()
      let count = min(Self.step, samples.count - begin)
      let code = samples[begin..<begin + count].withUnsafeBufferPointer {
        ps_process_raw(decoder, $0.baseAddress, count, 0, 0)
      }
      try Self.check(code, "ps_process_raw")
    }
  }

  /// Ends the utterance; PocketSphinx then runs its final pass.
  func end() throws(SpeechEngineError) {
    try Self.check(ps_end_utt(decoder), "ps_end_utt")
    isInUtterance = false
  }

  /// The best words so far.
  ///
  /// They have confidences only after the end of the utterance.
  var words: [SpeechHypothesis.Word] {
    Self.words(from: ps_seg_iter(decoder), confidence: confidence)
  }

  /// Returns the words of a segment iterator, without silence and noise.
  ///
  /// The iterator cannot be used afterward.
  static func words(
    from first: OpaquePointer?, confidence: (OpaquePointer) -> Double? = { _ in nil }
  ) -> [SpeechHypothesis.Word] {
    var words: [SpeechHypothesis.Word] = []
    var segment = first
    // PocketSphinx frees the iterator when it reaches the end.
    while let current = segment {
      if var word = word(of: current) {
        word.confidence = confidence(current)
        words.append(word)
      }
      segment = ps_seg_next(current)
    }
    return words
  }

  private static func word(of segment: OpaquePointer) -> SpeechHypothesis.Word? {
    guard let name = ps_seg_word(segment),
      let text = String(cString: name).dictionarySpelling
    else { return nil }
    var (first, last): (Int32, Int32) = (0, 0)
    ps_seg_frames(segment, &first, &last)
    let begin = FrameCount(Int(first) * samplesPerFrame)
    return SpeechHypothesis.Word(
      text, frames: begin..<FrameCount((Int(last) + 1) * samplesPerFrame))
  }

  private func confidence(of segment: OpaquePointer) -> Double? {
    // With a grammar, or without the best-path search, every probability is 1 and meaningless. The
    // score of a key phrase is on another scale.
    guard !isInUtterance, current == .anything, settings.hasBestPath else { return nil }
    let probability = ps_seg_prob(segment, nil, nil, nil)
    return min(1, logmath_exp(probabilities, probability))
  }

  /// Throws `.failed` if a C function returned an error.
  static func check(_ code: Int32, _ function: String) throws(SpeechEngineError) {
    guard code >= 0 else { throw .failed(reason: "PocketSphinx's \(function) returned \(code)") }
  }

  /// The name of a rule that is added to a grammar with several public rules, to choose among them.
  private static let anyRule = "syrinxAnyPublicRule"

  /// Adds the search for a grammar.
  ///
  /// The sentences of every public rule are recognized.
  ///
  /// The expansion is checked first, because PocketSphinx expands rule references recursively: a
  /// deeply nested grammar overflows its stack, and a grammar that doubles at each level exhausts
  /// memory.
  ///
  /// - Throws: `.grammarInvalid`, with the line if it is known.
  private func load(_ grammar: String, name: String) throws(SpeechEngineError) {
    // PocketSphinx's parser would print any text before this prefix to standard output.
    guard grammar.hasPrefix("#JSGF") else {
      throw .grammarInvalid(line: 1, reason: "a grammar begins with #JSGF V1.0;")
    }
    let rules = try JSGFGrammar(grammar)
    try rules.checkExpansion()
    // For an unknown word, PocketSphinx returns 0 and only logs an error, so errors are read from
    // the log.
    let errors = SphinxLog.errors { [self] in
      if rules.publicRules.count > 1 {
        // PocketSphinx uses only one public rule, and picks it arbitrarily, so a rule that includes
        // all public rules is added.
        let choice = rules.publicRules.map { "<\($0)>" }.joined(separator: " | ")
        let all = "\(grammar)\npublic <\(Self.anyRule)> = \(choice);\n"
        setTopRule("\(rules.name).\(Self.anyRule)")
        _ = ps_add_jsgf_string(decoder, name, all)
        setTopRule(nil)
      } else {
        _ = ps_add_jsgf_string(decoder, name, grammar)
      }
    }
    guard let error = SpeechEngineError(grammarErrors: errors, in: grammar) else { return }
    ps_remove_search(decoder, name)
    throw error
  }

  private func setTopRule(_ name: String?) {
    _ = ps_config_set_str(ps_get_config(decoder), "toprule", name)
  }

  /// Adds the search for key phrases.
  ///
  /// - Throws: `.wordUnknown`, because PocketSphinx accepts a phrase with an unknown word, but
  ///   never finds it.
  private func load(_ phrases: [KeyPhrase], name: String) throws(SpeechEngineError) {
    var lines = ""
    for phrase in phrases {
      let phoneCount = try phoneCount(of: phrase.text)
      let threshold = phrase.threshold ?? Self.usualThreshold(phoneCount: phoneCount)
      lines += "\(phrase.text) /\(threshold)/\n"
    }
    // PocketSphinx reads several phrases only from a file.
    let code = withMemoryFile(Array(lines.utf8)) { path in
      path.map { ps_add_kws(decoder, name, $0) }
    }
    guard let code else {
      throw .failed(
        reason: "PocketSphinx needs an in-memory file for key phrases, and this system has none")
    }
    try Self.check(code, "ps_add_kws")
  }

  private func phoneCount(of phrase: String) throws(SpeechEngineError) -> Int {
    var count = 0
    for word in phrase.split(separator: " ") {
      // The dictionary also has silence and noises, which cannot be spoken.
      guard String(word).dictionarySpelling == String(word),
        let phones = ps_lookup_word(decoder, String(word))
      else {
        throw .wordUnknown(String(word), phrase: phrase)
      }
      // The caller owns the returned string.
      defer { free(phones) }
      count += String(cString: phones).split(separator: " ").count
    }
    return count
  }

  /// Returns the threshold of a key phrase that specifies none.
  ///
  /// The threshold falls with the length of the phrase, because every phone adds uncertainty.
  /// Measured on speech with and without 28 phrases, 17 of 24 occurrences were found, with no false
  /// positives.
  static func usualThreshold(phoneCount: Int) -> Double {
    (0..<max(5, min(phoneCount, 30))).reduce(1) { threshold, _ in threshold / 10 }
  }

  /// An entry of the n-best list.
  ///
  /// A higher score is likelier.
  typealias Alternative = (words: [SpeechHypothesis.Word], score: Int32)

  /// The number of entries to examine; most entries of PocketSphinx's list differ only in pauses
  /// and pronunciations.
  private static let mostEntries = 500

  /// Returns the n-best list of the ended utterance, likeliest first, each entry with different
  /// words.
  ///
  /// The corresponding C functions are `ps_nbest` and `ps_nbest_next`.
  func alternatives(atMost count: Int) -> [Alternative] {
    var alternatives: [Alternative] = []
    var texts: Set<[String]> = []
    var looked = 0
    var next = ps_nbest(decoder).flatMap(ps_nbest_next)
    // PocketSphinx frees the iterator when it reaches the end.
    while let current = next {
      var score: Int32 = 0
      _ = ps_nbest_hyp(current, &score)
      let words = Self.words(from: ps_nbest_seg(current))
      if !words.isEmpty, texts.insert(words.map(\.text)).inserted {
        alternatives.append((words, score))
      }
      looked += 1
      guard alternatives.count < count, looked < Self.mostEntries else {
        ps_nbest_free(current)
        break
      }
      next = ps_nbest_next(current)
    }
    return alternatives
  }
}
