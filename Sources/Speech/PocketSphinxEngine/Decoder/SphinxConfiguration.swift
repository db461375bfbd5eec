import CPocketSphinx
import FilePaths
import Glibc
import SpeechEngine

/// PocketSphinx's configuration: its defaults, the model, and the settings that performed best in
/// measurements.
struct SphinxConfiguration: ~Copyable {
  private let configuration: OpaquePointer

  /// Creates a configuration with the tuned defaults.
  ///
  /// - Throws: `.failed` if PocketSphinx cannot allocate memory.
  init() throws(SpeechEngineError) {
    _ = SphinxLog.redirect
    guard let made = ps_config_init(nil) else {
      throw .failed(reason: "PocketSphinx could not be configured")
    }
    configuration = made
    tune()
  }

  deinit {
    ps_config_free(configuration)
  }

  /// Uses all files of a model.
  ///
  /// - Parameters:
  ///   - model: the model.
  ///   - dictionary: the path of a dictionary to use instead of the model's; nil for the model's.
  func use(_ model: ModelFiles, dictionary: String?) {
    set("hmm", model.acoustic)
    set("dict", dictionary ?? model.dictionary)
    set("lm", model.language)
  }

  /// Uses only a model's acoustic part, to align known words.
  ///
  /// A high silence probability separates pauses from the words beside them. Wide beams prevent the
  /// search from losing a word.
  ///
  /// Evaluating all Gaussians only in every second frame (`ds`) takes half the time, but makes the
  /// ends of words 0.2 s late in joined recordings.
  func useAcoustics(of model: ModelFiles) {
    set("hmm", model.acoustic)
    ps_config_set_float(configuration, "silprob", 0.5)
    for beam in ["beam", "pbeam", "wbeam"] { ps_config_set_float(configuration, beam, 1e-60) }
    ps_config_set_int(configuration, "bestpath", 0)
  }

  private func set(_ name: String, _ path: String) {
    FilePath(path).withCString { _ = ps_config_set_str(configuration, name, $0) }
  }

  func use(_ settings: DecoderSettings) {
    for (name, value) in settings.integers { ps_config_set_int(configuration, name, value) }
    for (name, value) in settings.numbers { ps_config_set_float(configuration, name, value) }
  }

  /// Makes a decoder, which retains the configuration; nil if PocketSphinx fails.
  ///
  /// Whatever the model's parameters specify, the decoder subtracts the mean that `setCepstralMean`
  /// sets.
  func makeDecoder() -> OpaquePointer? {
    guard let decoder = ps_init(configuration) else { return nil }
    guard syrinx_use_live_mean(decoder) >= 0 else {
      ps_free(decoder)
      return nil
    }
    return decoder
  }

  /// Makes a front end with a model's parameters, as `ps_init` does.
  consuming func makeFrontEnd(
    _ parameters: [String: String]
  ) throws(SpeechEngineError) -> FrontEnd {
    for (name, value) in parameters {
      ps_config_set_str(configuration, String(name.dropFirst()), value)
    }
    return try FrontEnd(configuration: configuration)
  }

  /// Changes PocketSphinx's defaults.
  ///
  /// Noise removal loses more words than it gains. A slightly lower language weight is more
  /// accurate.
  private func tune() {
    ps_config_set_int(configuration, "remove_noise", 0)
    ps_config_set_float(configuration, "lw", 6)
    // The second pass is turned off: it takes a sixth of the time, and introduces as many errors as
    // it corrects.
    ps_config_set_int(configuration, "fwdflat", 0)
    // These limits save a quarter of the time without losing words. Narrower beams and a lower
    // `topn` save more, but lose words in noisy recordings. With `pl_weight`, noise is recognized
    // as words with high confidence.
    ps_config_set_int(configuration, "maxhmmpf", 5000)
    ps_config_set_int(configuration, "maxwpf", 20)
  }
}

/// The decoder settings that a request may change.
///
/// They are checked first, because PocketSphinx ends the process for some invalid values.
struct DecoderSettings: Hashable {
  /// The integer options and flags by name, such as `maxwpf`; a flag is 1 or 0.
  private(set) var integers: [String: Int] = [:]
  /// The floating-point options by name, such as `lw`.
  private(set) var numbers: [String: Double] = [:]

  /// Whether PocketSphinx searches the word lattice for the best path, which gives each word its
  /// confidence.
  var hasBestPath: Bool { integers["bestpath"] != 0 }

  init() {}

  /// - Parameter options: values by PocketSphinx's command-line names without the hyphen.
  /// - Throws: `.optionInvalid`.
  init(_ options: [String: String]) throws(SpeechEngineError) {
    for (name, text) in options.sorted(by: { $0.key < $1.key }) {
      let kind: String
      if let range = Self.integerRanges[name] {
        integers[name] = Int(text).filtered(range.contains)
        kind = "a whole number from \(range.lowerBound) to \(range.upperBound)"
      } else if let range = Self.numberRanges[name] {
        numbers[name] = Double(text).filtered(range.contains)
        kind = "a number from \(range.lowerBound) to \(range.upperBound)"
      } else if Self.flags.contains(name) {
        integers[name] = ["yes": 1, "no": 0][text]
        kind = "yes or no"
      } else {
        let names = Self.flags + Self.integerRanges.keys + Self.numberRanges.keys
        let list = names.sorted().joined(separator: ", ")
        throw .optionInvalid(name: name, reason: "PocketSphinx has \(list)")
      }
      guard integers[name] != nil || numbers[name] != nil else {
        throw .optionInvalid(name: name, reason: "\"\(text)\" is not \(kind)")
      }
    }
  }

  /// The widest beam that a request may set; with a wider beam, PocketSphinx divides by zero at the
  /// limit `maxhmmpf`.
  private static let widestBeam = 1e-12

  private static let flags = ["fwdflat", "bestpath"]
  private static let integerRanges = [
    "maxhmmpf": 100...1_000_000, "maxwpf": 1...100_000, "ds": 1...4, "topn": 1...16,
  ]
  private static let numberRanges = [
    "lw": 0.1...100, "wip": 1e-10...1, "pip": 1e-10...1, "beam": 1e-200...widestBeam,
    "pbeam": 1e-200...1, "wbeam": 1e-200...1,
  ]
}

extension Optional {
  fileprivate func filtered(_ isRight: (Wrapped) -> Bool) -> Self {
    flatMap { isRight($0) ? $0 : nil }
  }
}

/// Calls the body with the path of an in-memory file with these bytes, for data that PocketSphinx
/// reads only from a file.
///
/// The path is nil if there are no bytes, or if the system has no in-memory files.
func withMemoryFile<Value>(_ bytes: [UInt8], _ body: (String?) -> Value) -> Value {
  let descriptor = bytes.isEmpty ? -1 : syrinx_memory_file("syrinx")
  guard descriptor >= 0 else { return body(nil) }
  defer { close(descriptor) }
  var written = 0
  while written < bytes.count {
    // `write` reads within the slice, which stays alive during the call.
    let count = bytes[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    guard count > 0 else { return body(nil) }
    written += count
  }
  let path = "/proc/self/fd/\(descriptor)"
  return body(access(path, R_OK) == 0 ? path : nil)
}
