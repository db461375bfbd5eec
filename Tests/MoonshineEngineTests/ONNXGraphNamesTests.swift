import FilePaths
import Foundation
import ONNXRuntime
import ONNXTestTools
import TestTools
import Testing

@testable import MoonshineEngine

@Suite struct ONNXGraphNamesTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  private func completed(_ model: Message) throws -> Data {
    let path = try model.write(to: folder.file("model.onnx"))
    try ONNXGraphNames.complete(path, to: FilePath(folder.file("named.onnx")))
    return try Data(contentsOf: folder.file("named.onnx"))
  }

  @Test(.installedEngines, arguments: [1, 2, 6])
  func `a model whose branches have no names gets them, also deep ones, and can be loaded then`(
    depth: Int
  ) throws {
    let library = try ONNXComponents.library()
    let model = TinyModel.choosing(depth: depth)
    #expect(throws: ONNXError.self) {
      try ONNXSession(model: model.write(to: folder.file("model.onnx")), in: library)
    }
    _ = try completed(model)
    let session = try ONNXSession(model: FilePath(folder.file("named.onnx")), in: library)
    let result = try session.run(
      [
        ("go", ONNXValue([true], shape: [], in: library)),
        ("x", ONNXValue([Float(21)], shape: [1, 1], in: library)),
      ], outputs: ["y"])
    #expect(try result[0].withElements(of: Float.self) { $0[0] } == 42)
  }

  @Test func `a model whose graphs have names stays as it is, byte for byte`() throws {
    for model in [TinyModel.doubling, TinyModel.endless] {
      #expect(try completed(model) == Data(model.bytes))
    }
    let named = try completed(TinyModel.choosing())
    #expect(try completed(Message(bytes: Array(named))) == named)
  }

  @Test func `a file that is not a model is an error with its name, wherever it ends`() throws {
    let model = TinyModel.choosing().bytes
    for count in 1..<model.count {
      do {
        _ = try completed(Message(bytes: Array(model.prefix(count))))
      } catch {
        let path = FilePath(folder.file("model.onnx"))
        #expect(
          error as? ONNXError == .fileDamaged(path: path, reason: "it is no ONNX model"))
      }
    }
    #expect(throws: ONNXError.self) { try completed(Message(bytes: Array(model.dropLast()))) }
    #expect(throws: ONNXError.self) {
      try completed(Message(bytes: [UInt8](repeating: 0xFF, count: 100)))
    }
  }
}
