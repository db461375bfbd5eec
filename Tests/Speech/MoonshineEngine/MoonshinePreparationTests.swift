import FilePaths
import Foundation
import ONNXRuntime
import TestTools
import Testing

@testable import MoonshineEngine

@Suite(.installedEngines, .ownThread, .serialized, .timeLimit(.minutes(60)))
struct MoonshinePreparationTests {
  @Test func `a prepared model returns the same text, and no temporary file remains`() throws {
    let library = try ONNXComponents.library()
    let folder = try CopiedModel()
    let before = try folder.installed.names
    try folder.installed.prepareMoonshine(with: library)
    #expect(
      try folder.installed.names
        == (before + ["decoder.blocks.ort", "encoder.prepared.ort"]).sorted())
    let audio = try Clip(sample: "two-utterances", words: "").samples
    let published = try GreedyTokens(
      encoder: folder.session("encoder_model.ort", in: library),
      decoder: folder.session("decoder_model_merged.ort", in: library))
    let preparedDecoder = try folder.session("decoder.blocks.ort", in: library, isMapped: true)
    let prepared = try GreedyTokens(
      encoder: folder.session("encoder.prepared.ort", in: library, isMapped: true),
      decoder: preparedDecoder)
    #expect(preparedDecoder.inputs.contains(ONNXPort("input_ids", .int64, [])))
    let tokens = try prepared(audio)
    #expect(tokens.count > 8)
    #expect(tokens == (try published(audio)))
    // The prepared decoder has no separate operator that scales the keys, because the fused
    // multiplication scales them.
    let decoder = try Data(contentsOf: folder.path.appending("decoder.blocks.ort").url)
    let isThere = ["Mul_1", "MatMul/MatMulScaleFusion//MatmulTransposeFusion/"].map { name in
      decoder.range(of: Data("layers.7/encoder_attn/\(name)\0".utf8)) != nil
    }
    #expect(isThere == [false, true])
    // The decoder multiplies bytes. Its only float weights are the embeddings of the tokens.
    let product =
      library.blockSize == nil ? "DynamicQuantizeMatMul" : "MatMulNBits"
    #expect(decoder.range(of: Data(product.utf8)) != nil)
    #expect(decoder.count < 105_000_000)
  }

  @Test
  func `only with blocks do tokens get the same scores in one pass and in many`()
    throws
  {
    let library = try ONNXComponents.library()
    let folder = try CopiedModel()
    let files = MoonshineModelFiles(directory: folder.path)
    let run = try ONNXRun(in: library)
    // The published model is not exact, because it adds the products of a single row in another
    // order than those of several rows.
    #expect(try MoonshineModel(files, in: library).isExact(as: run) == false)
    try folder.installed.prepareMoonshine(with: library)
    let model = try MoonshineModel(files, in: library)
    let hasBlocks = library.blockSize != nil
    #expect(try model.isExact(as: run) == hasBlocks)
    let clip = try Clip(sample: "two-utterances", words: "")
    let tokens = Array(100..<140)
    let whole = try model.encode(clip.samples, as: run).begin(tokens).scores
    let audio = try model.encode(clip.samples, as: run)
    var (single, state) = try audio.begin([])
    for token in tokens {
      let next = try audio.reading([(0, token)], after: state)
      single += next.scores
      state = next.state
    }
    #expect((whole.map(\.logits) == single.map(\.logits)) == hasBlocks)
    // A new search on the same audio reuses the results for tokens that have already been read.
    let known = try audio.begin(Array(tokens.prefix(9))).scores
    #expect(known.map(\.logits) == single.prefix(10).map(\.logits))
  }

  @Test func `the error for a file that cannot be written contains the file's name`() throws {
    let folder = try CopiedModel()
    let obstacle = folder.path.appending(".encoder.prepared.ort")
    try obstacle.makeFolder()
    #expect(
      throws: ONNXError.fileUnreadable(
        path: obstacle, code: EISDIR)
    ) {
      try folder.installed.prepareMoonshine(with: ONNXComponents.library())
    }
  }

  @Test func `a canceled preparation ends and leaves no files`() async throws {
    let folder = try CopiedModel()
    let before = try folder.installed.names
    let work = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try folder.installed.prepareMoonshine(with: ONNXComponents.library())
    }
    await #expect(throws: ONNXError.terminated) { try await work.value }
    #expect(try folder.installed.names == before)
  }

  @Test func `a failed preparation leaves no files`() throws {
    let folder = try CopiedModel()
    let decoder = folder.path.appending("decoder_model_merged.ort")
    try Data(contentsOf: decoder.url).prefix(1_000_000).write(to: decoder.url)
    let before = try folder.installed.names
    #expect {
      try folder.installed.prepareMoonshine(with: ONNXComponents.library())
    } throws: { error in
      guard case .modelUnusable(decoder, _) = error as? ONNXError else { return false }
      return true
    }
    #expect(try folder.installed.names == before)
  }
}

/// A copy of the published model's files, in its own folder.
struct CopiedModel {
  private let folder: TestFolder
  let path: FilePath

  init() throws {
    folder = try TestFolder()
    let model = folder.file("moonshine-base-en")
    try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
    for name in MoonshineModelFiles.Part.allCases.map(\.rawValue) {
      try FileManager.default.copyItem(
        at: ONNXComponents.path("moonshine-base-en/\(name)").url, to: model.appending(path: name))
    }
    path = FilePath(model)
  }

  /// Replaces the encoder with an ONNX model.
  func replaceEncoder(by model: Message) throws {
    let onnx = try model.write(to: folder.file("encoder.onnx"))
    let encoder = path.appending("encoder_model.ort")
    try FileManager.default.removeItem(at: encoder.url)
    var options = ONNXSessionOptions()
    (options.optimization, options.savedModel) = (.none, encoder)
    _ = try ONNXSession(model: onnx, in: ONNXComponents.library(), options: options)
  }

  var installed: InstalledFolder {
    get throws { try InstalledFolder(path) }
  }

  func session(
    _ name: String, in library: ONNXLibrary, isMapped: Bool = false
  ) throws -> ONNXSession {
    var options = ONNXSessionOptions()
    options.mapsWeights = isMapped
    return try ONNXSession(model: path.appending(FilePath(name)), in: library, options: options)
  }
}

extension InstalledFolder {
  var names: [String] { (path.names ?? []).map(\.text).sorted() }
}
