import AudioCore
import CPocketSphinx
import FilePaths
import SpeechEngine

/// Finds where words lie in an utterance in which they are known to be said, with the acoustic model
/// and the dictionary alone: 20 MB, and a hundredth of the time that the utterance takes.
///
/// A class, because an aligner moves from a pool to a user and back. Thread safety: one thread at a
/// time.
final class AcousticAligner {
  private let decoder: OpaquePointer
  private let frontEnd: FrontEnd
  private let dictionary: ModelBytes
  /// The phones of speech, which are words as well: what the dictionary lacks is any number of them.
  private let phones: [String]
  /// Whether the dictionary has a word.
  private var known: [String: Bool] = [:]
  private var search: String?

  /// - Throws: `SpeechEngineError` where the model is damaged.
  init(model: ModelFiles) throws(SpeechEngineError) {
    phones = try model.validateAcoustics().voices
    dictionary = try ModelBytes(path: model.dictionary)
    _ = SphinxLog.redirect
    guard let configuration = SphinxConfiguration() else {
      throw .failed(reason: "PocketSphinx could not be configured")
    }
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

  /// Where each word lies; nil for a word that the dictionary lacks, and for all of them where they
  /// are not found.
  ///
  /// - Parameters:
  ///   - words: in the dictionary's spelling, in their order.
  ///   - isWanted: asked every tenth of a second of the utterance; else it ends with `.interrupted`.
  func places(
    of words: [String], in samples: [Int16], while isWanted: () -> Bool
  ) throws(SpeechEngineError) -> [Range<FrameCount>?]? {
    learn(words)
    guard words.contains(where: { known[$0] == true }) else { return nil }
    try search(for: words)
    ps_start_stream(decoder)
    try check(ps_start_utt(decoder), "ps_start_utt")
    syrinx_use_live_mean(decoder)
    if let mean = mean(of: samples) { cmn_live_set(ps_get_feat(decoder).pointee.cmn_struct, mean) }
    for begin in stride(from: 0, to: samples.count, by: 1_600) {
      guard isWanted() else { throw .interrupted }
      let piece = Array(samples[begin..<min(begin + 1_600, samples.count)])
      try check(ps_process_raw(decoder, piece, piece.count, 0, 0), "ps_process_raw")
    }
    try check(ps_end_utt(decoder), "ps_end_utt")
    var found = segments[...]
    let places = words.map { word in known[word] == true ? found.popFirst()?.frames : nil }
    return places.contains { $0 != nil } ? places : nil
  }

  /// Adds the words that the dictionary has, with every way to say them.
  private func learn(_ words: [String]) {
    let new = Set(words.filter { known[$0] == nil })
    guard !new.isEmpty else { return }
    var wanted = Vocabulary()
    for word in new {
      known[word] = false
      wanted.insert(WordHash(of: word.utf8))
    }
    let lines = DictionaryFile.excerpt(of: dictionary, knownTo: wanted)
    for line in lines.split(separator: UInt8(ascii: "\n")) {
      let fields = String(decoding: line, as: UTF8.self)
        .split(maxSplits: 1, whereSeparator: \.isWhitespace).map(String.init)
      guard fields.count == 2, let word = DictionaryWord.text(of: fields[0]), new.contains(word)
      else { continue }
      if ps_add_word(decoder, fields[0], fields[1], 0) >= 0 { known[word] = true }
    }
  }

  /// Searches for these words in this order; PocketSphinx itself allows pauses between them.
  private func search(for words: [String]) throws(SpeechEngineError) {
    let sequence = words.map { known[$0] == true ? $0 : "<any>" }.joined(separator: " ")
    let grammar = """
      #JSGF V1.0; grammar words; <any> = (\(phones.joined(separator: " | ")))+;
      public <words> = \(sequence);
      """
    let name = search == "words" ? "more words" : "words"
    try check(ps_set_jsgf_string(decoder, name, grammar), "ps_set_jsgf_string")
    try check(ps_set_search(decoder, name), "ps_set_search")
    if let search { ps_unset_search(decoder, search) }
    search = name
  }

  private func mean(of samples: [Int16]) -> [Float]? {
    var mean = CepstralMean()
    frontEnd.begin()
    frontEnd.process(samples) { mean.add($0) }
    return mean.value
  }

  /// The words that were found, without silence, noise, and what the dictionary lacks.
  private var segments: [SpeechHypothesis.Word] {
    var segments: [SpeechHypothesis.Word] = []
    var segment = ps_seg_iter(decoder)
    // Walking to the end frees the iterator.
    while let current = segment {
      if let word = Decoder.word(of: current), !phones.contains(word.text) { segments.append(word) }
      segment = ps_seg_next(current)
    }
    return segments
  }

  private func check(_ code: Int32, _ function: String) throws(SpeechEngineError) {
    guard code >= 0 else { throw .failed(reason: "PocketSphinx' \(function) gave \(code)") }
  }
}
