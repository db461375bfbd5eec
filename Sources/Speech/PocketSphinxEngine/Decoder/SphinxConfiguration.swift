import CPocketSphinx
import FilePaths
import Glibc
import SpeechEngine

/// PocketSphinx's configuration: its defaults, the model, and the settings that measured best.
struct SphinxConfiguration: ~Copyable {
  private let configuration: OpaquePointer

  /// The tuned defaults.
  ///
  /// - Throws: `.failed` if PocketSphinx has no memory for them.
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

  /// - Parameter dictionary: the path of a dictionary to use instead of the model's.
  func use(_ model: ModelFiles, dictionary: String?) {
    set("hmm", model.acoustic)
    set("dict", dictionary ?? model.dictionary)
    set("lm", model.language)
  }

  /// Uses only a model's acoustic part, to align known words.
  ///
  /// A high silence probability keeps pauses out of the words beside them. The wide beams keep
  /// every spoken word.
  ///
  /// Comparing only every second frame with all Gaussians (`ds`) takes half the time, but the end of a word in
  /// joined recordings is then 0.2 s late.
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
    for (name, value) in settings.values {
      switch value {
      case .integer(let value): ps_config_set_int(configuration, name, value)
      case .number(let value): ps_config_set_float(configuration, name, value)
      }
    }
  }

  /// Makes a decoder, which retains the configuration; nil if PocketSphinx cannot.
  ///
  /// It subtracts the mean that is set, regardless of the model's parameters.
  func makeDecoder() -> OpaquePointer? {
    guard let decoder = ps_init(configuration) else { return nil }
    guard syrinx_use_live_mean(decoder) >= 0 else {
      ps_free(decoder)
      return nil
    }
    return decoder
  }

  /// Makes a front end with a model's parameters, as `ps_init` would.
  consuming func makeFrontEnd(_ parameters: FeatureParameters) throws(SpeechEngineError) -> FrontEnd
  {
    for (name, value) in parameters.values {
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
    // A second pass takes a sixth of the time, and introduces as many errors as it corrects.
    ps_config_set_int(configuration, "fwdflat", 0)
    // These limits save a quarter of the time without losing words. Narrower beams and topn save
    // more, but lose words in noisy recordings; pl_weight finds confident words in noise.
    ps_config_set_int(configuration, "maxhmmpf", 5000)
    ps_config_set_int(configuration, "maxwpf", 20)
  }
}

/// The decoder settings that a request may change.
///
/// They are checked first, because PocketSphinx ends the process for some invalid values.
struct DecoderSettings: Hashable {
  enum Value: Hashable {
    case integer(Int)
    case number(Double)
  }

  /// The values by name: `lw`.
  private(set) var values: [String: Value] = [:]

  /// Whether PocketSphinx searches the word lattice for the best path, which gives each word its
  /// confidence.
  var hasBestPath: Bool { values["bestpath"] != .integer(0) }

  init() {}

  /// - Parameter options: values by PocketSphinx's command-line names without the hyphen.
  /// - Throws: `.optionInvalid`.
  init(_ options: [String: String]) throws(SpeechEngineError) {
    for (name, text) in options.sorted(by: { $0.key < $1.key }) {
      guard let kind = Self.kinds[name] else {
        let names = Self.kinds.keys.sorted().joined(separator: ", ")
        throw .optionInvalid(name: name, reason: "PocketSphinx has \(names)")
      }
      guard let value = kind.value(of: text) else {
        throw .optionInvalid(name: name, reason: "\"\(text)\" is not \(kind)")
      }
      values[name] = value
    }
  }

  private enum Kind: CustomStringConvertible {
    case integer(ClosedRange<Int>)
    case number(ClosedRange<Double>)
    case flag

    func value(of text: String) -> Value? {
      switch self {
      case .integer(let range): Int(text).filtered(range.contains).map(Value.integer)
      case .number(let range): Double(text).filtered(range.contains).map(Value.number)
      case .flag: ["yes": 1, "no": 0][text].map(Value.integer)
      }
    }

    var description: String {
      switch self {
      case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
      case .number(let range): "a number from \(range.lowerBound) to \(range.upperBound)"
      case .flag: "yes or no"
      }
    }
  }

  /// With a wider beam, PocketSphinx divides by zero when it reaches `maxhmmpf`.
  private static let widestBeam = 1e-12

  private static let kinds: [String: Kind] = [
    "lw": .number(0.1...100), "wip": .number(1e-10...1), "pip": .number(1e-10...1),
    "beam": .number(1e-200...widestBeam), "pbeam": .number(1e-200...1),
    "wbeam": .number(1e-200...1),
    "maxhmmpf": .integer(100...1_000_000), "maxwpf": .integer(1...100_000),
    "ds": .integer(1...4), "topn": .integer(1...16), "fwdflat": .flag, "bestpath": .flag,
  ]
}

extension Optional {
  fileprivate func filtered(_ isRight: (Wrapped) -> Bool) -> Self {
    flatMap { isRight($0) ? $0 : nil }
  }
}

/// A file in memory, for data that PocketSphinx reads only from a path.
struct MemoryFile: ~Copyable {
  private let descriptor: Int32

  /// Calls the body with the path of a temporary file with these bytes, or with nil if there are no
  /// bytes or the system has no in-memory files.
  static func with<Value>(_ bytes: [UInt8], _ body: (String?) -> Value) -> Value {
    let descriptor = bytes.isEmpty ? -1 : syrinx_memory_file("syrinx")
    guard descriptor >= 0 else { return body(nil) }
    let file = MemoryFile(descriptor: descriptor)
    return file.store(bytes) ? body(file.path) : body(nil)
  }

  deinit {
    close(descriptor)
  }

  private var path: String { "/proc/self/fd/\(descriptor)" }

  /// Returns whether the file has all bytes and can be read by its path.
  private func store(_ bytes: [UInt8]) -> Bool {
    var written = 0
    while written < bytes.count {
      // write reads within the slice, which stays alive during the call.
      let count = bytes[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { return false }
      written += count
    }
    return access(path, R_OK) == 0
  }
}
