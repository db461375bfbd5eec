import Glibc

/// The functions of libvosk that are used here, found by their names at run time.
///
/// All arguments are numbers and pointers, so that the names say all there is to the interface.
/// Those that are optional came with some version, and a library without them does the rest.
struct VoskFunctions: Sendable {
  typealias NewModel = @Sendable @convention(c) (UnsafePointer<CChar>) -> OpaquePointer?
  typealias FreeModel = @Sendable @convention(c) (OpaquePointer) -> Void
  typealias FindWord = @Sendable @convention(c) (OpaquePointer, UnsafePointer<CChar>) -> Int32
  typealias NewRecognizer = @Sendable @convention(c) (OpaquePointer, Float) -> OpaquePointer?
  typealias NewRecognizerForPhrases =
    @Sendable @convention(c) (OpaquePointer, Float, UnsafePointer<CChar>) -> OpaquePointer?
  typealias FreeRecognizer = @Sendable @convention(c) (OpaquePointer) -> Void
  typealias SetNumber = @Sendable @convention(c) (OpaquePointer, Int32) -> Void
  typealias SetDelays = @Sendable @convention(c) (OpaquePointer, Float, Float, Float) -> Void
  typealias AcceptSamples =
    @Sendable @convention(c) (OpaquePointer, UnsafePointer<Int16>, Int32) -> Int32
  typealias Answer = @Sendable @convention(c) (OpaquePointer) -> UnsafePointer<CChar>?
  typealias SetLogLevel = @Sendable @convention(c) (Int32) -> Void

  let newModel: NewModel
  let freeModel: FreeModel
  let newRecognizer: NewRecognizer
  let freeRecognizer: FreeRecognizer
  let accept: AcceptSamples
  let partialResult: Answer
  let result: Answer
  let finalResult: Answer

  let findWord: FindWord?
  let newRecognizerForPhrases: NewRecognizerForPhrases?
  let setWords: SetNumber?
  let setPartialWords: SetNumber?
  let setMaxAlternatives: SetNumber?
  let setEndpointerMode: SetNumber?
  let setEndpointerDelays: SetDelays?
  let setLogLevel: SetLogLevel?

  /// Looks all of them up; throws the name of the first that has to be there and is not.
  init(_ symbols: LibrarySymbols) throws(MissingSymbol) {
    newModel = try symbols.required("vosk_model_new")
    freeModel = try symbols.required("vosk_model_free")
    newRecognizer = try symbols.required("vosk_recognizer_new")
    freeRecognizer = try symbols.required("vosk_recognizer_free")
    accept = try symbols.required("vosk_recognizer_accept_waveform_s")
    partialResult = try symbols.required("vosk_recognizer_partial_result")
    result = try symbols.required("vosk_recognizer_result")
    finalResult = try symbols.required("vosk_recognizer_final_result")

    findWord = symbols.optional("vosk_model_find_word")
    newRecognizerForPhrases = symbols.optional("vosk_recognizer_new_grm")
    setWords = symbols.optional("vosk_recognizer_set_words")
    setPartialWords = symbols.optional("vosk_recognizer_set_partial_words")
    setMaxAlternatives = symbols.optional("vosk_recognizer_set_max_alternatives")
    setEndpointerMode = symbols.optional("vosk_recognizer_set_endpointer_mode")
    setEndpointerDelays = symbols.optional("vosk_recognizer_set_endpointer_delays")
    setLogLevel = symbols.optional("vosk_set_log_level")
  }
}

/// The name of a function that a library lacks.
struct MissingSymbol: Error, Equatable {
  let name: String
}

/// The names that a loaded library exports.
struct LibrarySymbols {
  let handle: UnsafeMutableRawPointer

  /// The function of this name; the type asked for has to be that of the C header.
  func optional<Function>(_ name: String) -> Function? {
    // A C function's value is its address, which is what dlsym gives.
    dlsym(handle, name).map { unsafeBitCast($0, to: Function.self) }
  }

  func required<Function>(_ name: String) throws(MissingSymbol) -> Function {
    guard let function: Function = optional(name) else { throw MissingSymbol(name: name) }
    return function
  }
}
