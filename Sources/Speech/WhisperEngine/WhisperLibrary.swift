import CWhisper
import FilePaths
import FoundationEssentials
import Glibc
import Logging
import ONNXRuntime
import SpeechEngine

/// A loaded libwhisper.
///
/// It is never unloaded, because abandoned calls may outlive the last session.
struct WhisperLibrary: Sendable {
  static let variable = "SYRINX_WHISPER_LIBRARY"
  /// The name of the component that contains the library.
  static let component = "libwhisper"
  static let fileName = "libwhisper.so"
  static let remedy = "install libwhisper and the Whisper model"
  static let log = Logger(label: "syrinx.whisper")
  /// The versions whose structures `CWhisper` declares.
  private static let knownVersion = "1.8"

  let path: FilePath
  let functions: WhisperFunctions
  /// The library's defaults, which every call starts from.
  let defaults: (context: SyrinxWhisperContextParams, full: SyrinxWhisperParams)

  /// Loads the library.
  ///
  /// - Throws: `.libraryMissing` if the file is not a library, if its version is not 1.8, or if this
  ///   processor lacks instructions that it uses.
  init(path: FilePath) throws(SpeechEngineError) {
    let functions: WhisperFunctions
    do {
      let library = try LoadedLibrary(path)
      functions = try WhisperFunctions(library)
      // Checked before any other call, because only this version has the structures in use.
      let version = functions.version().map { String(cString: $0) } ?? ""
      guard version.split(separator: ".").prefix(2).joined(separator: ".") == Self.knownVersion
      else {
        let name = version.isEmpty ? "unknown" : version.printableLine(atMost: 40)
        throw ModelDamage(
          "its version is \(name), and only \(Self.knownVersion).x is supported")
      }
      try Self.checkProcessor(library)
      defaults = try functions.defaults()
    } catch {
      let reason = (error as? ModelDamage)?.reason ?? "\(error)"
      throw .libraryMissing(searched: [path.text], remedy: "\(reason); \(Self.remedy)")
    }
    (self.path, self.functions) = (path, functions)
    functions.setLog(logMessage, nil)
  }

  private typealias Flag = @convention(c) () -> Int32

  /// Throws if the library was built for instructions that this processor lacks: it would crash.
  private static func checkProcessor(_ library: LoadedLibrary) throws(ModelDamage) {
    #if arch(x86_64)
    let text = (try? FilePath("/proc/cpuinfo").contents(atMost: 65_536)) ?? []
    let flags = Set(String(decoding: text, as: UTF8.self).split { " \t\n".contains($0) })
    for name in ["avx", "avx2", "fma", "f16c", "bmi2"] {
      let isBuiltFor: Flag? = library.optional("ggml_cpu_has_\(name)")
      if let isBuiltFor, isBuiltFor() != 0, !flags.isEmpty, !flags.contains(Substring(name)) {
        throw ModelDamage(
          "it needs a processor with \(name.uppercased()); name a library for this one")
      }
    }
    #endif
  }

  /// Loads the library that the user names, or else the installed library, or the system's.
  ///
  /// - Throws: `.libraryMissing` with every place searched, or the reason that a found library
  ///   cannot be used.
  static func load(
    chosen: FilePath?, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(SpeechEngineError) -> WhisperLibrary {
    if let named = chosen ?? environment.nonEmpty(variable).map({ FilePath($0) }) {
      guard named.status != nil else {
        throw .libraryMissing(searched: [named.text], remedy: "it is missing; \(remedy)")
      }
      return try WhisperLibrary(path: checked(named))
    }
    let installed = InstalledFolder.installed(named: component, environment: environment)
    if let folder = installed.first {
      return try WhisperLibrary(path: checked(folder.appending(FilePath(fileName))))
    }
    // The dynamic loader also searches its own folders.
    for name: FilePath in ["libwhisper.so.1", "libwhisper.so"]
    where (try? LoadedLibrary(name)) != nil {
      return try WhisperLibrary(path: name)
    }
    let root = InstalledFolder.root(environment: environment)?.appending(FilePath(component))
    throw .libraryMissing(
      searched: [root?.text, "the loader's folders"].compactMap(\.self), remedy: remedy)
  }

  /// Returns the path after comparing the file with the manifest of its folder; throws if another
  /// user can change the file.
  private static func checked(_ path: FilePath) throws(SpeechEngineError) -> FilePath {
    try SpeechEngineError.checkingFile { () throws(ONNXError) in
      let folder = try InstalledFolder(path.folder)
      // The library loads the others in its folder.
      for file in folder.manifest?.files ?? [] { _ = try folder.file(file.name) }
      return try folder.file(path.name.text)
    }
  }
}

extension SpeechEngineError {
  /// Turns failures of installed files into the engine's errors.
  static func checkingFile<Value>(
    _ body: () throws(ONNXError) -> Value
  ) throws(SpeechEngineError) -> Value {
    do throws(ONNXError) { return try body() } catch {
      throw SpeechEngineError(error, remedy: WhisperLibrary.remedy)
    }
  }
}

/// Receives the library's messages, which it would otherwise print to standard error.
private func logMessage(_: Int32, text: UnsafePointer<CChar>?, _: UnsafeMutableRawPointer?) {
  guard WhisperLibrary.log.logLevel <= .debug, let text else { return }
  let message = String(cString: text).printable
  WhisperLibrary.log.debug("\(message)")
}

/// The functions of libwhisper, found by name at run time.
struct WhisperFunctions: Sendable {
  typealias Context = OpaquePointer
  typealias State = OpaquePointer
  typealias Number = @Sendable @convention(c) (Context) -> Int32

  let version: @Sendable @convention(c) () -> UnsafePointer<CChar>?
  let setLog:
    @Sendable @convention(c) (
      @convention(c) (Int32, UnsafePointer<CChar>?, UnsafeMutableRawPointer?) -> Void,
      UnsafeMutableRawPointer?
    ) -> Void
  let contextDefaults: @Sendable @convention(c) () -> UnsafeMutableRawPointer?
  let freeContextDefaults: @Sendable @convention(c) (UnsafeMutableRawPointer) -> Void
  let fullDefaults: @Sendable @convention(c) (Int32) -> UnsafeMutableRawPointer?
  let freeFullDefaults: @Sendable @convention(c) (UnsafeMutableRawPointer) -> Void

  let load:
    @Sendable @convention(c) (
      UnsafeMutableRawPointer, Int, SyrinxWhisperContextParams
    ) -> Context?
  let free: @Sendable @convention(c) (Context) -> Void
  let makeState: @Sendable @convention(c) (Context) -> State?
  let freeState: @Sendable @convention(c) (State) -> Void
  let full:
    @Sendable @convention(c) (
      Context, State, SyrinxWhisperParams, UnsafePointer<Float>, Int32
    ) -> Int32
  let encode: @Sendable @convention(c) (Context, State, Int32, Int32) -> Int32
  let decode:
    @Sendable @convention(c) (Context, State, UnsafePointer<Int32>, Int32, Int32, Int32) -> Int32
  let logits: @Sendable @convention(c) (State) -> UnsafePointer<Float>?
  let tokenize:
    @Sendable @convention(c) (
      Context, UnsafePointer<CChar>, UnsafeMutablePointer<Int32>, Int32
    ) -> Int32
  let text: @Sendable @convention(c) (Context, Int32) -> UnsafePointer<CChar>?
  let isMultilingual: Number
  let vocabularySize: Number
  let endToken: Number
  let startToken: Number
  let previousToken: Number
  let noSpeechToken: Number
  let noTimestampsToken: Number
  let transcribeToken: Number
  let translateToken: Number

  /// Finds the functions; throws the name of the first missing function.
  init(_ library: LoadedLibrary) throws(LoadedLibrary.MissingFunction) {
    version = try library.required("whisper_version")
    setLog = try library.required("whisper_log_set")
    contextDefaults = try library.required("whisper_context_default_params_by_ref")
    freeContextDefaults = try library.required("whisper_free_context_params")
    fullDefaults = try library.required("whisper_full_default_params_by_ref")
    freeFullDefaults = try library.required("whisper_free_params")
    load = try library.required("whisper_init_from_buffer_with_params_no_state")
    free = try library.required("whisper_free")
    makeState = try library.required("whisper_init_state")
    freeState = try library.required("whisper_free_state")
    full = try library.required("whisper_full_with_state")
    encode = try library.required("whisper_encode_with_state")
    decode = try library.required("whisper_decode_with_state")
    logits = try library.required("whisper_get_logits_from_state")
    tokenize = try library.required("whisper_tokenize")
    text = try library.required("whisper_token_to_str")
    isMultilingual = try library.required("whisper_is_multilingual")
    vocabularySize = try library.required("whisper_n_vocab")
    endToken = try library.required("whisper_token_eot")
    startToken = try library.required("whisper_token_sot")
    previousToken = try library.required("whisper_token_prev")
    noSpeechToken = try library.required("whisper_token_nosp")
    noTimestampsToken = try library.required("whisper_token_not")
    transcribeToken = try library.required("whisper_token_transcribe")
    translateToken = try library.required("whisper_token_translate")
  }

  /// Returns the library's default parameters, changed for sessions of one thread on the processor.
  ///
  /// With flash attention, the decoder would attend to leftovers of earlier windows beyond a short
  /// window, so a text would depend on earlier utterances.
  fileprivate func defaults() throws(ModelDamage) -> (
    context: SyrinxWhisperContextParams, full: SyrinxWhisperParams
  ) {
    guard let context = contextDefaults(), let full = fullDefaults(0) else {
      throw ModelDamage("it has no default parameters")
    }
    defer {
      freeContextDefaults(context)
      freeFullDefaults(full)
    }
    var values = (context: SyrinxWhisperContextParams(), full: SyrinxWhisperParams())
    copy(context, to: &values.context)
    copy(full, to: &values.full)
    // Known defaults at their places show that the structure is the declared one.
    guard values.full.thold_pt == 0.01, values.full.thold_ptsum == 0.01,
      values.full.n_max_text_ctx == 16_384, values.full.audio_ctx == 0
    else { throw ModelDamage("its parameters are not those of version 1.8") }
    (values.context.use_gpu, values.context.flash_attn) = (false, false)
    values.full.n_threads = 1
    return values
  }

  /// Copies a structure that the library allocated; an older version's structure may be shorter.
  private func copy<Value>(_ source: UnsafeMutableRawPointer, to value: inout Value) {
    withUnsafeMutableBytes(of: &value) { bytes in
      bytes.copyBytes(
        from: UnsafeRawBufferPointer(
          start: source, count: min(bytes.count, malloc_usable_size(source))))
    }
  }
}
