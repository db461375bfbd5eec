import FilePaths
import Foundation
import ONNXRuntime
import TestTools
import Testing

@testable import MoonshineEngine

@Suite(.installedEngines, .ownThread, .serialized, .timeLimit(.minutes(60)))
struct MoonshinePreparationTests {
  @Test func `a prepared model gives the same text, and nothing is left beside it`() throws {
    let library = try ONNXComponents.library()
    let folder = try CopiedModel()
    let before = try folder.installed.names
    try MoonshinePreparation.prepare(folder.installed, with: library)
    #expect(
      try folder.installed.names
        == (before + ["decoder.8bit.ort", "encoder.prepared.ort"]).sorted())
    let audio = try Clip(sample: "two-utterances", words: "").samples
    let published = try GreedyTokens(
      encoder: folder.session("encoder_model.ort", in: library),
      decoder: folder.session("decoder_model_merged.ort", in: library))
    let preparedDecoder = try folder.session("decoder.8bit.ort", in: library, isMapped: true)
    let prepared = try GreedyTokens(
      encoder: folder.session("encoder.prepared.ort", in: library, isMapped: true),
      decoder: preparedDecoder)
    #expect(preparedDecoder.inputs.contains(ONNXPort("input_ids", .int64, [])))
    let tokens = try prepared(audio)
    #expect(tokens.count > 8)
    #expect(tokens == (try published(audio)))
    // The keys of the audio are not scaled anew for each token: that is a part of multiplying by them.
    let decoder = try Data(contentsOf: folder.path.appending("decoder.8bit.ort").url)
    let isThere = ["Mul_1", "MatMul/MatMulScaleFusion//MatmulTransposeFusion/"].map { name in
      decoder.range(of: Data("layers.7/encoder_attn/\(name)\0".utf8)) != nil
    }
    #expect(isThere == [false, true])
    // The decoder multiplies bytes, and has no weights as floats but the embedding of its tokens.
    #expect(decoder.range(of: Data("DynamicQuantizeMatMul".utf8)) != nil)
    #expect(decoder.count < 100_000_000)
  }

  @Test func `a file that cannot be written is an error with its name`() throws {
    let folder = try CopiedModel()
    let obstacle = folder.path.appending(".encoder.prepared.ort")
    try obstacle.makeFolder()
    #expect(
      throws: ONNXError.fileUnreadable(
        path: obstacle, code: EISDIR)
    ) {
      try MoonshinePreparation.prepare(folder.installed, with: ONNXComponents.library())
    }
  }

  @Test func `a preparation whose task is cancelled ends, and leaves nothing`() async throws {
    let folder = try CopiedModel()
    let before = try folder.installed.names
    let work = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try MoonshinePreparation.prepare(folder.installed, with: ONNXComponents.library())
    }
    await #expect(throws: ONNXError.terminated) { try await work.value }
    #expect(try folder.installed.names == before)
  }

  @Test func `a preparation that fails leaves nothing`() throws {
    let folder = try CopiedModel()
    let decoder = folder.path.appending("decoder_model_merged.ort")
    try Data(contentsOf: decoder.url).prefix(1_000_000).write(to: decoder.url)
    let before = try folder.installed.names
    #expect {
      try MoonshinePreparation.prepare(folder.installed, with: ONNXComponents.library())
    } throws: { error in
      guard case .modelUnusable(decoder, _) = error as? ONNXError else { return false }
      return true
    }
    #expect(try folder.installed.names == before)
  }
}

/// The published files of the model in a folder of the test's own.
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

  /// Puts an ONNX model in the place of the encoder.
  func replaceEncoder(by model: Message) throws {
    let onnx = try model.write(to: folder.file("encoder.onnx"))
    let encoder = path.appending("encoder_model.ort")
    try FileManager.default.removeItem(at: encoder.url)
    var options = ONNXSessionOptions()
    (options.optimization, options.saving) = (.none, .init(encoder, as: .ort))
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
