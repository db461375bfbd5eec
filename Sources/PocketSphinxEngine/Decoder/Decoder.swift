import AudioCore
import CPocketSphinx
import FilePaths
import SpeechEngine

/// One PocketSphinx decoder with its model, some 100 MB.
///
/// A class, because a decoder moves from the pool to a session and back. Thread safety: one thread
/// at a time.
final class Decoder {
  /// PocketSphinx counts time in frames of 10 ms.
  static let samplesPerFrame = 160
  /// How many samples are searched at a time.
  private static let step = 1_600

  let settings: DecoderSettings
  /// Whether it knows every word of the dictionary, and not only those that dictation finds.
  let knowsWholeDictionary: Bool
  let decoder: OpaquePointer
  private let probabilities: OpaquePointer
  private(set) var isInUtterance = false
  private(set) var current = DecoderSearch.anything

  /// Loads a model, which must have been validated: over a damaged one PocketSphinx ends the
  /// process.
  ///
  /// - Parameter wholeDictionary: whether more than dictation is wanted, which takes longer to
  ///   load.
  init(
    model: CheckedModel, wholeDictionary: Bool, settings: DecoderSettings = DecoderSettings()
  ) throws(SpeechEngineError) {
    self.settings = settings
    _ = SphinxLog.redirect
    guard let configuration = SphinxConfiguration() else {
      throw .failed(reason: "PocketSphinx could not be configured")
    }
    configuration.use(settings)
    let (made, isWhole) = MemoryFile.with(wholeDictionary ? [] : model.knownWords) { words in
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

  /// A front end with the model's parameters, to look at the cepstra before the decoder does.
  func makeFrontEnd() throws(SpeechEngineError) -> FrontEnd {
    try FrontEnd(configuration: ps_get_config(decoder))
  }

  /// Searches for something else from the next utterance on; the corresponding C functions are
  /// `ps_set_jsgf_string`, `ps_set_kws` and `ps_set_search`.
  ///
  /// - Throws: `.grammarInvalid` and `.wordUnknown`; then the decoder searches for anything.
  func search(for wanted: DecoderSearch) throws(SpeechEngineError) {
    if let name = current.name {
      try check(ps_set_search(decoder, "_default"), "ps_set_search")
      ps_unset_search(decoder, name)
      current = .anything
    }
    guard let name = wanted.name else { return }
    switch wanted {
    case .anything: return
    case .grammar(let grammar): try load(grammar, name: name)
    case .keyPhrases(let phrases): try load(phrases, name: name)
    }
    try check(ps_set_search(decoder, name), "ps_set_search")
    current = wanted
  }

  /// Begins an utterance; frames count from 0 again.
  func begin() throws(SpeechEngineError) {
    ps_start_stream(decoder)
    try check(ps_start_utt(decoder), "ps_start_utt")
    isInUtterance = true
    // The mean that the session sets is subtracted, whatever the model's parameters ask for.
    syrinx_use_live_mean(decoder)
  }

  /// Sets the mean that is subtracted from the cepstra from now on; the corresponding C function is
  /// `cmn_live_set`.
  func setCepstralMean(_ mean: [Float]) {
    cmn_live_set(ps_get_feat(decoder).pointee.cmn_struct, mean)
  }

  /// Searches on with more samples, a tenth of a second at a time.
  ///
  /// - Throws: `.interrupted` between two of them.
  func search(
    _ samples: [Int16], until interruption: InterruptionFlag = InterruptionFlag()
  ) throws(SpeechEngineError) {
    for begin in stride(from: 0, to: samples.count, by: Self.step) {
      try interruption.check()
      let count = min(Self.step, samples.count - begin)
      let code = samples[begin..<begin + count].withUnsafeBufferPointer {
        ps_process_raw(decoder, $0.baseAddress, count, 0, 0)
      }
      try check(code, "ps_process_raw")
    }
  }

  /// Ends the utterance, which PocketSphinx searches once more.
  func end() throws(SpeechEngineError) {
    try check(ps_end_utt(decoder), "ps_end_utt")
    isInUtterance = false
  }

  /// The best words so far; their confidence only after the end, when PocketSphinx knows it.
  var words: [SpeechHypothesis.Word] { words(from: ps_seg_iter(decoder)) }

  /// The words of an iterator, which is used up.
  func words(from first: OpaquePointer?) -> [SpeechHypothesis.Word] {
    var words: [SpeechHypothesis.Word] = []
    var segment = first
    // Walking to the end frees the iterator.
    while let current = segment {
      if var word = Self.word(of: current) {
        word.confidence = confidence(of: current)
        words.append(word)
      }
      segment = ps_seg_next(current)
    }
    return words
  }

  /// The word of a segment, and where it lies; nil for silence and noise.
  static func word(of segment: OpaquePointer) -> SpeechHypothesis.Word? {
    guard let name = ps_seg_word(segment), let text = DictionaryWord.text(of: String(cString: name))
    else { return nil }
    var (first, last): (Int32, Int32) = (0, 0)
    ps_seg_frames(segment, &first, &last)
    let frames =
      FrameCount(
        Int(first) * samplesPerFrame)..<FrameCount(
        (Int(last) + 1) * samplesPerFrame)
    return SpeechHypothesis.Word(text, frames: frames)
  }

  private func confidence(of segment: OpaquePointer) -> Double? {
    // A grammar's words, and those without the search for the best path, have a probability of 1
    // always, which says nothing; that of a phrase is a score of another kind.
    guard !isInUtterance, current == .anything, settings.hasBestPath else { return nil }
    let probability = ps_seg_prob(segment, nil, nil, nil)
    return min(1, logmath_exp(probabilities, probability))
  }

  func check(_ code: Int32, _ function: String) throws(SpeechEngineError) {
    guard code >= 0 else { throw .failed(reason: "PocketSphinx' \(function) gave \(code)") }
  }
}
