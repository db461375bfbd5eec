import AudioCore
import FilePaths
import ONNXRuntime
import SpeechEngine
import Synchronization

/// A loaded model that sessions share.
///
/// Thread safety: it is immutable, so any number of threads may use it at the same time.
final class MoonshineModel: Sendable {
  let files: MoonshineModelFiles
  let tokenizer: Tokenizer
  let library: ONNXLibrary
  private let encoder: ONNXSession
  private let decoder: ONNXSession
  private let layout: DecoderLayout
  private let exactness = Mutex<Bool?>(nil)
  /// The encoder with two threads, loaded when live audio first needs it.
  private let liveEncoder = Mutex<ONNXSession?>(nil)

  /// The minimum number of samples in an utterance.
  ///
  /// Shorter audio is padded with silence, because the model would repeat one word.
  private static let leastSamples = SampleRate.speech.hertz

  /// Loads the model.
  ///
  /// - Throws: `.modelDamaged` with the file and the damage, or `.modelUnreadable`.
  init(
    _ files: MoonshineModelFiles, in library: ONNXLibrary
  ) throws(SpeechEngineError) {
    let tokenizerFile = try files.path(of: .tokenizer)
    let bytes: [UInt8]
    do throws(FilePathError) { bytes = try tokenizerFile.contents() } catch {
      throw .modelUnreadable(path: tokenizerFile.text)
    }
    tokenizer = try SpeechEngineError.checking(tokenizerFile.text) { () throws(ModelDamage) in
      try Tokenizer(bytes)
    }
    (encoder, decoder, layout) = try SpeechEngineError.during { () throws(ONNXError) in
      let encoder = try files.session(.encoder, in: library)
      let decoder = try files.session(.decoder, in: library)
      let layout = try DecoderLayout(decoder)
      try encoder.require(
        inputs: [ONNXPort("input_values", .float, [nil, nil])],
        outputs: [ONNXPort("last_hidden_state", .float, [nil, nil, layout.width])])
      return (encoder, decoder, layout)
    }
    (self.files, self.library) = (files, library)
  }

  /// Whether a token's scores do not depend on the other tokens in the same pass, so that a draft
  /// cannot change the text.
  ///
  /// A prepared decoder is exact on processors with fast 8-bit instructions. The first call
  /// measures this, which takes as long as three passes.
  func isExact(as run: ONNXRun) throws(SpeechEngineError) -> Bool {
    if let isExact = exactness.withLock({ $0 }) { return isExact }
    let sound = (0..<Self.leastSamples).map { Float($0 * 7919 % 1000) / 1000 - 0.5 }
    let tokens = Array(3..<15)
    let whole = try encode(sound, as: run).begin(tokens).scores
    let utterance = try encode(sound, as: run)
    let (most, state) = try utterance.begin(tokens.dropLast())
    let rest = try utterance.reading([(0, tokens[tokens.count - 1])], after: state).scores
    let isExact = whole.map(\.logits) == (most + rest).map(\.logits)
    exactness.withLock { $0 = isExact }
    return isExact
  }

  /// Releases the pages of the decoder's weights until the next utterance.
  func rest() { decoder.releasePages() }

  /// The encoder with two threads, for live audio.
  ///
  /// Files use one thread each, because several files can be recognized at a time.
  ///
  /// If the file has disappeared since the model was loaded, the encoder with one thread is used
  /// instead.
  private var encoderForLiveAudio: ONNXSession {
    liveEncoder.withLock { [encoder, files, library] loaded in
      if let loaded { return loaded }
      let live = (try? files.session(.encoder, in: library, threadCount: 2)) ?? encoder
      loaded = live
      return live
    }
  }

  /// Frees memory that the library keeps: 20 MB for each of the utterances that were decoded
  /// simultaneously.
  ///
  /// The library frees memory only at the end of a run, so this decodes a second of silence.
  func returnMemory() throws(SpeechEngineError) {
    let run = try SpeechEngineError.during { () throws(ONNXError) in
      try ONNXRun(in: library, returnsMemory: true)
    }
    _ = try encode([], as: run).begin([])
    liveEncoder.withLock { $0 = nil }
    rest()
  }

  /// Encodes an utterance at 16 kHz, and releases the encoder's pages, which decoding does not
  /// need.
  ///
  /// `silence` is the length of the silence to append. If `isLive` is true, the audio is live, so
  /// two threads reduce the latency. The result is the same, bit by bit.
  func encode(
    _ samples: [Float], followedBy silence: FrameCount = 0, isLive: Bool = false, as run: ONNXRun
  ) throws(SpeechEngineError) -> EncodedUtterance {
    try SpeechEngineError.during { () throws(ONNXError) in
      let encoder = isLive ? encoderForLiveAudio : encoder
      let count = max(Self.leastSamples, samples.count + silence.rawValue)
      let padding = [Float](repeating: 0, count: count - samples.count)
      let input = try ONNXValue(samples + padding, shape: [1, count], in: library)
      let output = try encoder.run(
        [("input_values", input)], outputs: ["last_hidden_state"], as: run)
      encoder.releasePages()
      return EncodedUtterance(
        decoder: decoder, layout: layout, hidden: output[0], length: FrameCount(samples.count),
        run: run)
    }
  }
}

/// The inputs and outputs of a decoder, for any number of layers and heads.
struct DecoderLayout: Sendable {
  /// The names of the self-attention caches: the keys and values of the tokens, for each layer.
  ///
  /// They lack the prefixes `past_key_values` and `present`.
  let tokenNames: [String]
  /// The names of the cross-attention caches: the keys and values of the audio, for each layer.
  ///
  /// These caches stay the same for the whole utterance.
  let audioNames: [String]
  let heads: Int
  let headSize: Int
  /// The number of values per frame of the encoder.
  let width: Int

  /// The name of the token input.
  static let tokens = "input_ids"
  private static let past = "past_key_values"
  private static let present = "present"

  /// - Throws: `.modelUnusable` with the name of an unexpected input or output.
  init(_ session: ONNXSession) throws(ONNXError) {
    let names = session.inputs.compactMap { Self.name($0.name) }
    tokenNames = names.filter { $0.contains(".decoder.") }
    audioNames = names.filter { $0.contains(".encoder.") }
    let cache = session.inputs.first { Self.name($0.name) != nil }
    let hidden = session.inputs.first { $0.name == "encoder_hidden_states" }
    // If an input is missing or has another shape, `require` throws below.
    heads = cache?.shape.dropFirst().first.flatMap(\.self) ?? 0
    headSize = cache?.shape.last.flatMap(\.self) ?? 0
    width = hidden?.shape.last.flatMap(\.self) ?? 0
    // Preparation removes the shape of the token input.
    let isPrepared = session.inputs.contains { $0.name == Self.tokens && $0.shape.isEmpty }
    let all = tokenNames + audioNames
    let form = [nil, heads, nil, headSize]
    try session.require(
      inputs: [
        ONNXPort(Self.tokens, .int64, isPrepared ? [] : [nil, nil]),
        ONNXPort("encoder_hidden_states", .float, [nil, nil, width]),
        ONNXPort("use_cache_branch", .bool, [1]),
        ONNXPort("\(Self.past).0.decoder.key", .float, form),
      ] + all.map { ONNXPort("\(Self.past)\($0)", .float, form) },
      outputs: [ONNXPort("logits", .float, [nil, nil, nil])]
        + all.map { ONNXPort("\(Self.present)\($0)", .float, form) })
  }

  /// Returns the name without its prefix: `.0.decoder.key` for `past_key_values.0.decoder.key`; nil
  /// for any other input.
  private static func name(_ input: String) -> String? {
    let parts = input.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0] == past, Int(parts[1]) != nil,
      ["decoder", "encoder"].contains(parts[2]), ["key", "value"].contains(parts[3])
    else { return nil }
    return String(input.dropFirst(past.count))
  }

  func inputs(_ names: [String]) -> [String] { names.map { Self.past + $0 } }
  func outputs(_ names: [String]) -> [String] { names.map { Self.present + $0 } }
}

/// An encoded utterance, with the decoder that finds its tokens.
///
/// Thread safety: one thread at a time.
final class EncodedUtterance: TokenModel {
  /// The cached keys and values of the decoder.
  struct State {
    fileprivate let tokens: [ONNXValue]
    fileprivate let audio: [ONNXValue]

    fileprivate func isSame(as other: State) -> Bool {
      zip(tokens, other.tokens).allSatisfy { $0 === $1 }
    }
  }

  /// The length of the audio without the appended silence.
  let length: FrameCount
  private let decoder: ONNXSession
  private let layout: DecoderLayout
  private let hidden: ONNXValue
  private let run: ONNXRun
  /// The newest text that was decoded as a batch of one, with its scores and decoder state.
  ///
  /// A later search whose first tokens are a prefix of this text's tokens reuses them.
  private var last: (tokens: [Token], scores: [TokenScores], state: State)?

  fileprivate init(
    decoder: ONNXSession, layout: DecoderLayout, hidden: ONNXValue, length: FrameCount, run: ONNXRun
  ) {
    (self.decoder, self.layout, self.hidden) = (decoder, layout, hidden)
    (self.length, self.run) = (length, run)
  }

  func begin(
    _ tokens: [Token]
  ) throws(SpeechEngineError) -> (scores: [TokenScores], state: State) {
    if let last, last.tokens.starts(with: tokens) {
      let isWhole = tokens.count == last.tokens.count
      let known = isWhole ? last.state : try cut(last.state, to: tokens.count)
      return (Array(last.scores.prefix(tokens.count + 1)), known)
    }
    let (scores, state) = try readBeginning(tokens)
    last = (tokens, scores, state)
    return (scores, state)
  }

  private func readBeginning(
    _ tokens: [Token]
  ) throws(SpeechEngineError) -> (scores: [TokenScores], state: State) {
    let names = layout.tokenNames + layout.audioNames
    let values = try decode(
      [Tokenizer.begin] + tokens, shape: [1, tokens.count + 1], isFirst: true, keeping: names
    ) { () throws(ONNXError) in
      let empty = try ONNXValue(
        [Float](), shape: [1, layout.heads, 0, layout.headSize], in: decoder.library)
      return layout.inputs(names).map { ($0, empty) }
    }
    let split = layout.tokenNames.count
    return (
      values.scores,
      State(tokens: Array(values.kept[..<split]), audio: Array(values.kept[split...]))
    )
  }

  func reading(
    _ next: [(row: Int, token: Token)], after state: State
  ) throws(SpeechEngineError) -> (scores: [TokenScores], state: State) {
    let rows = next.map(\.row)
    let shape = [next.count, 1]
    let values = try decode(
      next.map(\.token), shape: shape, isFirst: false, keeping: layout.tokenNames
    ) { () throws(ONNXError) in
      let tokens = try state.tokens.map { value throws(ONNXError) in
        try value.rows(rows, in: decoder.library)
      }
      // Rows are selected only for the tokens: all texts share the single row of the audio's keys
      // and values.
      return zip(layout.inputs(layout.tokenNames), tokens).map { ($0, $1) }
        + zip(layout.inputs(layout.audioNames), state.audio).map { ($0, $1) }
    }
    let read = State(tokens: values.kept, audio: state.audio)
    if next.count == 1, let known = last, known.state.isSame(as: state) {
      last = (known.tokens + [next[0].token], known.scores + values.scores, read)
    }
    return (values.scores, read)
  }

  func cut(_ state: State, to count: Int) throws(SpeechEngineError) -> State {
    let tokens = try SpeechEngineError.during { () throws(ONNXError) in
      // `count` does not include the begin token before the text.
      try state.tokens.map { value throws(ONNXError) in
        try value.prefix(count + 1, in: decoder.library)
      }
    }
    return State(tokens: tokens, audio: state.audio)
  }

  /// Runs the decoder over tokens; returns the scores after each token, and the keys and values.
  ///
  /// `shape` contains the number of texts, and the number of tokens in each text.
  private func decode(
    _ tokens: [Token], shape: [Int], isFirst: Bool, keeping names: [String],
    with cache: () throws(ONNXError) -> [(name: String, value: ONNXValue)]
  ) throws(SpeechEngineError) -> (scores: [TokenScores], kept: [ONNXValue]) {
    let outputs = try SpeechEngineError.during { () throws(ONNXError) in
      let library = decoder.library
      let inputs: [(name: String, value: ONNXValue)] = [
        ("input_ids", try ONNXValue(tokens.map(Int64.init), shape: shape, in: library)),
        ("encoder_hidden_states", hidden),
        ("use_cache_branch", try ONNXValue([!isFirst], shape: [1], in: library)),
      ]
      return try decoder.run(
        inputs + cache(), outputs: ["logits"] + layout.outputs(names), as: run)
    }
    return (try scores(outputs[0], shape: shape), Array(outputs.dropFirst()))
  }

  private func scores(
    _ logits: ONNXValue, shape: [Int]
  ) throws(SpeechEngineError) -> [TokenScores] {
    guard logits.shape.count == 3, Array(logits.shape.prefix(2)) == shape,
      logits.shape[2] > Tokenizer.end
    else {
      throw .failed(reason: "the model returned no probabilities")
    }
    let width = logits.shape[2]
    let rows = try SpeechEngineError.during { () throws(ONNXError) in
      try logits.withElements { (all: UnsafeBufferPointer<Float>) throws(ONNXError) in
        (0..<shape[0] * shape[1]).map { Array(all[($0 * width)..<(($0 + 1) * width)]) }
      }
    }
    return try rows.map { row throws(SpeechEngineError) in try TokenScores(row) }
  }
}

extension ONNXValue {
  /// Returns a value with the chosen rows of the first dimension; this value itself if all rows are
  /// chosen in order.
  fileprivate func rows(
    _ rows: [Int], in library: ONNXLibrary
  ) throws(ONNXError) -> ONNXValue {
    let height = shape.first ?? 0
    guard rows != Array(0..<height) else { return self }
    guard rows.allSatisfy((0..<height).contains) else {
      throw .failed(reason: "the model returned keys of the shape \(shape)")
    }
    let size = count / height
    return try joined(
      rows.map { $0 * size..<($0 + 1) * size }, shape: [rows.count] + shape.dropFirst(), in: library
    )
  }

  /// Returns the cached keys or values of only the first `count` tokens.
  ///
  /// The dimensions are batch, head, token, and feature.
  fileprivate func prefix(
    _ count: Int, in library: ONNXLibrary
  ) throws(ONNXError) -> ONNXValue {
    guard shape.count == 4, shape[0] == 1, shape[2] >= count else {
      throw .failed(reason: "the model returned keys of the shape \(shape)")
    }
    let (heads, length, size) = (shape[1], shape[2], shape[3])
    return try joined(
      (0..<heads).map { $0 * length * size..<($0 * length + count) * size },
      shape: [1, heads, count, size], in: library)
  }

  /// Returns a value with the elements of these ranges, one range after the other.
  private func joined(
    _ ranges: [Range<Int>], shape: [Int], in library: ONNXLibrary
  ) throws(ONNXError) -> ONNXValue {
    try withElements { (all: UnsafeBufferPointer<Float>) throws(ONNXError) in
      try ONNXValue(of: Float.self, shape: shape, in: library) { memory in
        var position = 0
        for range in ranges {
          position = memory[position...].update(fromContentsOf: all[range])
        }
      }
    }
  }
}

extension SpeechEngineError {
  /// Turns failures of the library or of the installed files into the engine's errors.
  static func during<Value>(
    _ body: () throws(ONNXError) -> Value
  ) throws(SpeechEngineError) -> Value {
    do throws(ONNXError) {
      return try body()
    } catch {
      throw SpeechEngineError(error, remedy: MoonshineModelLocation.remedy)
    }
  }
}
