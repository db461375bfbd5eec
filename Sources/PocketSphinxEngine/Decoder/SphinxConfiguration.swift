import CPocketSphinx
import FilePaths
import SpeechEngine

/// PocketSphinx' configuration: its defaults, the model, and what was measured to be the most
/// accurate.
///
/// `cmd_ln_init` takes variable arguments, which Swift cannot give: this begins with an empty
/// command line.
struct SphinxConfiguration: ~Copyable {
  private let configuration: OpaquePointer

  /// The defaults; nil where PocketSphinx has no memory for them.
  init?() {
    guard let parsed = cmd_ln_parse_r(nil, ps_args(), 0, nil, 0) else { return nil }
    configuration = parsed
    tune()
  }

  deinit {
    cmd_ln_free_r(configuration)
  }

  /// - Parameter dictionary: the path of another dictionary than the model's.
  func use(_ model: ModelFiles, dictionary: String?) {
    set("-hmm", model.acoustic)
    set("-dict", dictionary ?? model.dictionary)
    set("-lm", model.language)
  }

  /// Uses a model's acoustic part alone, to find where words lie that are known to be said.
  ///
  /// Pauses are likely between words: otherwise the words beside them take them in. The beams are so
  /// wide that words that are there are not lost.
  func useAcoustics(of model: ModelFiles) {
    set("-hmm", model.acoustic)
    cmd_ln_set_float_r(configuration, "-silprob", 0.5)
    for beam in ["-beam", "-pbeam", "-wbeam"] { cmd_ln_set_float_r(configuration, beam, 1e-60) }
    cmd_ln_set_int_r(configuration, "-bestpath", 0)
  }

  private func set(_ name: String, _ path: String) {
    FilePath(path).withCString { cmd_ln_set_str_r(configuration, name, $0) }
  }

  func use(_ settings: DecoderSettings) {
    for (name, value) in settings.values {
      switch value {
      case .integer(let value): cmd_ln_set_int_r(configuration, name, value)
      case .number(let value): cmd_ln_set_float_r(configuration, name, value)
      }
    }
  }

  /// Makes a decoder, which keeps the configuration alive for itself; nil where PocketSphinx
  /// refuses.
  func makeDecoder() -> OpaquePointer? { ps_init(configuration) }

  /// Makes a front end with a model's parameters, as `ps_init` would.
  consuming func makeFrontEnd(featureParameters: String) throws(SpeechEngineError) -> FrontEnd {
    let path = FilePath(featureParameters)
    let parsed = path.withCString { cmd_ln_parse_file_r(configuration, ps_args(), $0, 0) }
    guard parsed != nil else {
      throw .failed(reason: "PocketSphinx could not read \(path)")
    }
    return try FrontEnd(configuration: configuration)
  }

  /// Sets what differs from PocketSphinx' defaults.
  ///
  /// The toolkit finds the utterances, so PocketSphinx must not look for silence: it would spoil
  /// the word times. Its noise removal costs more words than it gains, and the model does better
  /// with a little less weight on the language.
  private func tune() {
    cmd_ln_set_int_r(configuration, "-remove_silence", 0)
    cmd_ln_set_int_r(configuration, "-remove_noise", 0)
    cmd_ln_set_float_r(configuration, "-lw", 6)
    // A second pass over the utterance costs a sixth of the work, and mends as many words as it
    // spoils.
    cmd_ln_set_int_r(configuration, "-fwdflat", 0)
    // With no more phones and words at a time nothing is lost, and a quarter of the work is saved.
    // What saves more loses the words of noisy recordings first (narrower beams, -topn), or makes
    // PocketSphinx sure of words in mere noise (-pl_weight).
    cmd_ln_set_int_r(configuration, "-maxhmmpf", 5000)
    cmd_ln_set_int_r(configuration, "-maxwpf", 20)
  }
}
