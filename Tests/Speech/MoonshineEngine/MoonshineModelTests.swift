import FilePaths
import Foundation
import ONNXRuntime
import SpeechEngine
import TestTools
import Testing

@testable import MoonshineEngine

@Suite(.installedEngines, .ownThread, .serialized, .timeLimit(.minutes(5)))
struct MoonshineModelTests {
  private let copy: CopiedModel

  init() throws {
    copy = try CopiedModel()
  }

  private func file(_ name: String) -> FilePath { copy.path.appending(FilePath(name)) }

  private func load() throws {
    _ = try MoonshineModel(
      MoonshineModelFiles(directory: copy.path), in: ONNXComponents.library())
  }

  private func expectDamage(_ name: String, _ words: String) {
    #expect {
      try load()
    } throws: { error in
      guard case .modelDamaged(let path, let reason) = error as? SpeechEngineError else {
        return false
      }
      return path == file(name).text && (words.isEmpty || reason.contains(words))
    }
  }

  @Test func `the error for a model with unexpected inputs names the model and the input`() throws {
    try FileManager.default.removeItem(at: file("decoder_model_merged.ort").url)
    try FileManager.default.copyItem(
      at: file("encoder_model.ort").url, to: file("decoder_model_merged.ort").url)
    expectDamage("decoder_model_merged.ort", "input \"input_values\"")
  }

  @Test func `returnMemory frees the memory of a long utterance, and the model still works`()
    async throws
  {
    let (folder, library) = (
      try RealModel.folder.text, try ONNXComponents.path("onnxruntime/libonnxruntime.so").text
    )
    // In a separate process, because other tests in this process use memory, too.
    await #expect(processExitsWith: .success) {
      [folder = folder as String, library = library as String] in
      let library = try ONNXLibrary(path: FilePath(library))
      let files = MoonshineModelFiles(directory: FilePath(folder))
      let model = try MoonshineModel(files, in: library)
      try model.returnMemory()
      let least = try bytesInUse()
      let audio = (0..<320_000).map { Float($0 % 160) / 1_600 }
      _ = try model.encode(audio, as: ONNXRun(in: library))
      let used = try bytesInUse() - least
      #expect(used > 10_000_000)
      try model.returnMemory()
      #expect(try bytesInUse() - least < used / 4)
    }
  }

  @Test(arguments: ["encoder_model.ort", "decoder_model_merged.ort", "tokenizer.bin"])
  func `a truncated or missing file is reported as damage`(name: String) throws {
    let whole = try Data(contentsOf: file(name).url)
    try whole.prefix(whole.count / 2 + 1).write(to: file(name).url)
    expectDamage(name, "")
    try FileManager.default.removeItem(at: file(name).url)
    expectDamage(name, "it is missing")
    #expect {
      try MoonshineModelLocation(chosen: copy.path.url, environment: [:]).models()
    } throws: { "\($0)".contains(name) }
  }
}
