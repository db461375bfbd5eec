import CWhisper
import FilePaths
import SpeechEngine

/// A loaded model that sessions share.
///
/// `@unchecked Sendable` is safe because libwhisper only reads a loaded model; each session has its
/// own state.
final class WhisperModel: @unchecked Sendable {
  typealias Token = Int32

  /// The window that the models are trained with, 30 s, in frames of 20 ms.
  static let wholeWindow = 1_500
  private static let samplesPerFrame = 320

  let file: WhisperModelFile
  let library: WhisperLibrary
  let isMultilingual: Bool
  /// The number of languages that the model knows.
  let languageCount: Int
  /// The number of scores after each token.
  let vocabularySize: Int
  let end: Token
  let start: Token
  let previous: Token
  let noSpeech: Token
  let noTimestamps: Token
  let transcribe: Token
  let translate: Token
  fileprivate let context: OpaquePointer

  /// Loads a model; the corresponding C function is
  /// `whisper_init_from_buffer_with_params_no_state`.
  ///
  /// - Throws: `.modelDamaged`, `.modelUnreadable`.
  init(_ file: WhisperModelFile, in library: WhisperLibrary) throws(SpeechEngineError) {
    let functions = library.functions
    let contents = try file.contents()
    // libwhisper copies the buffer and does not change it.
    let bytes = UnsafeMutableRawBufferPointer(mutating: contents.bytes)
    let loaded = withExtendedLifetime(contents) {
      bytes.baseAddress.flatMap { functions.load($0, bytes.count, library.defaults.context) }
    }
    guard let context = loaded else {
      throw .modelDamaged(path: file.location, reason: "libwhisper cannot load it")
    }
    (self.file, self.library, self.context) = (file, library, context)
    isMultilingual = functions.isMultilingual(context) != 0
    vocabularySize = Int(functions.vocabularySize(context))
    (end, start) = (functions.endToken(context), functions.startToken(context))
    (previous, noSpeech) = (functions.previousToken(context), functions.noSpeechToken(context))
    noTimestamps = functions.noTimestampsToken(context)
    transcribe = functions.transcribeToken(context)
    translate = functions.translateToken(context)
    // The vocabulary of 51,865 tokens has 99 languages.
    languageCount = min(WhisperLanguage.tags.count, max(0, vocabularySize - 51_766))
  }

  deinit { library.functions.free(context) }

  /// Returns the bytes of a token, which may be a part of a character.
  func bytes(of token: Token) -> [UInt8] {
    guard (0..<end).contains(token), let text = library.functions.text(context, token) else {
      return []
    }
    return FilePath(cString: text).bytes
  }

  /// Returns the tokens of a text, at most `limit`, and the first ones of a longer text.
  func tokens(of text: String, atMost limit: Int) -> [Token] {
    // A text has at most as many tokens as bytes.
    var tokens = [Token](repeating: 0, count: text.utf8.count + 1)
    let count = library.functions.tokenize(context, text, &tokens, Int32(clamping: tokens.count))
    return Array(tokens.prefix(min(limit, max(0, Int(count)))))
  }

  /// Returns the number of frames that the encoder should attend to, for an utterance; the cost
  /// grows faster than the number.
  ///
  /// The models need 64 frames after an utterance to find its end. In less than 512 frames, they
  /// repeat the words of short utterances.
  static func window(for sampleCount: Int) -> Int {
    min(wholeWindow, max(512, sampleCount / samplesPerFrame + 64))
  }

  /// Returns the token of a language.
  func token(ofLanguage index: Int) -> Token { start + 1 + Token(index) }
}

/// The memory in which a session encodes and decodes.
///
/// Thread safety: one thread at a time.
final class WhisperState {
  let model: WhisperModel
  private let state: OpaquePointer

  private var functions: WhisperFunctions { model.library.functions }

  /// - Throws: `.failed` if there is not enough memory.
  init(_ model: WhisperModel) throws(SpeechEngineError) {
    guard let state = model.library.functions.makeState(model.context) else {
      throw .failed(reason: "libwhisper has not enough memory for another utterance")
    }
    (self.model, self.state) = (model, state)
  }

  deinit { functions.freeState(state) }

  /// Encodes an utterance within a window of `frames`.
  ///
  /// The corresponding C functions are `whisper_full_with_state`, which alone can set the window
  /// and ends before it encodes because it is to process only 100 ms, and
  /// `whisper_encode_with_state`.
  func encode(_ samples: [Float], window frames: Int) throws(SpeechEngineError) {
    var parameters = model.library.defaults.full
    (parameters.duration_ms, parameters.audio_ctx) = (100, Int32(frames))
    // libwhisper ignores less than 100 ms.
    let padded = samples + [Float](repeating: 0, count: max(0, 16_000 - samples.count))
    let code = functions.full(
      model.context, state, parameters, padded, Int32(clamping: padded.count))
    guard code == 0, functions.encode(model.context, state, 0, 1) == 0 else {
      throw .failed(reason: "libwhisper cannot encode the audio (\(code))")
    }
  }

  /// Reads tokens after the first `past` tokens, and calls `body` with the scores of the tokens that
  /// may follow.
  func decode<Value>(
    _ tokens: [WhisperModel.Token], after past: Int,
    _ body: (UnsafeBufferPointer<Float>) -> Value
  ) throws(SpeechEngineError) -> Value {
    let code = functions.decode(
      model.context, state, tokens, Int32(tokens.count), Int32(past), 1)
    guard code == 0, let scores = functions.logits(state) else {
      throw .failed(reason: "libwhisper cannot decode the audio (\(code))")
    }
    // The scores of the last token are the last row.
    let last = (tokens.count - 1) * model.vocabularySize
    return body(UnsafeBufferPointer(start: scores + last, count: model.vocabularySize))
  }
}
