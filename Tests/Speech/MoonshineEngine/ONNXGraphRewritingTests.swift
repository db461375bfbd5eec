import FilePaths
import Foundation
import ONNXRuntime
import TestTools
import Testing

@testable import MoonshineEngine

@Suite struct ONNXGraphRewritingTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  private func rewritten(
    _ model: Message, headSize: Int? = nil, quantizesInputs: Bool = false,
    blockSize: Int? = nil, unshapedInput: String? = nil
  ) throws -> Data {
    let path = try model.write(to: folder.file("model.onnx"))
    try ONNXGraphRewriting.rewrite(
      path, to: FilePath(folder.file("rewritten.onnx")), headSize: headSize,
      quantizesInputs: quantizesInputs, blockSize: blockSize, unshapedInput: unshapedInput)
    return try Data(contentsOf: folder.file("rewritten.onnx"))
  }

  @Test(.installedEngines, arguments: [1, 2, 6])
  func `unnamed branches get names at any depth, and the model can then be loaded`(
    depth: Int
  ) throws {
    let library = try ONNXComponents.library()
    let model = TinyModel.choosing(depth: depth)
    #expect(throws: ONNXError.self) {
      try ONNXSession(model: model.write(to: folder.file("model.onnx")), in: library)
    }
    _ = try rewritten(model)
    let session = try ONNXSession(model: FilePath(folder.file("rewritten.onnx")), in: library)
    let result = try session.run(
      [
        ("go", ONNXValue([true], shape: [], in: library)),
        ("x", ONNXValue([Float(21)], shape: [1, 1], in: library)),
      ], outputs: ["y"])
    #expect(try result[0].withElements(of: Float.self) { $0[0] } == 42)
  }

  @Test func `a model whose graphs have names is copied byte for byte`() throws {
    for model in [TinyModel.doubling, TinyModel.endless] {
      #expect(try rewritten(model) == Data(model.bytes))
    }
    let named = try rewritten(TinyModel.choosing())
    #expect(try rewritten(Message(bytes: Array(named))) == named)
  }

  @Test(.installedEngines, arguments: [nil, 9] as [Int?])
  func `the head size passed to the rewriting replaces the size that the graph computes`(
    headSize: Int?
  ) throws {
    let library = try ONNXComponents.library()
    _ = try rewritten(TinyModel.scaling, headSize: headSize)
    let session = try ONNXSession(model: FilePath(folder.file("rewritten.onnx")), in: library)
    let x = try ONNXValue([Float](repeating: 1, count: 4), shape: [1, 4], in: library)
    let result = try session.run([("x", x)], outputs: ["y"])
    // `y` is `2 * sqrt(size) * x`. The graph computes a `size` of 4; the rewriting may replace it
    // with 9.
    #expect(try result[0].withElements(of: Float.self) { $0[0] } == (headSize == nil ? 4 : 6))
  }

  @Test(
    .installedEngines,
    arguments: [(true, -1.5, 2), (true, -1.25, 0), (false, -1.5, 0)] as [(Bool, Float, Int)],
    [nil, 16] as [Int?])
  func `8-bit weights are multiplied as bytes only if their offset is a multiple of their scale`(
    product: (quantizesInputs: Bool, offset: Float, count: Int), blockSize: Int?
  ) throws {
    let bytes: [Int8] = [-128, 127, 0, 3, -5, 100]
    let (offset, library) = (product.offset, try ONNXComponents.library())
    let model = TinyModel.weighing(bytes: bytes, scale: 0.5, offset: offset)
    let rewritten = try rewritten(
      model, quantizesInputs: product.quantizesInputs, blockSize: blockSize)
    let name = blockSize == nil ? "DynamicQuantizeMatMul" : "MatMulNBits"
    #expect(rewritten.ranges(of: Data(name.utf8)).count == product.count)
    let session = try ONNXSession(model: FilePath(folder.file("rewritten.onnx")), in: library)
    // These inputs are exact in 8 bits: the first pair as unsigned numbers, the second as signed.
    let x: [Float] = blockSize == nil ? [255, 51] : [127, -51]
    let weights = bytes.map { Float($0) * 0.5 + offset }
    for go in [true, false] {
      let result = try session.run(
        [
          ("go", ONNXValue([go], shape: [], in: library)),
          ("x", ONNXValue(x, shape: [1, 2], in: library)),
        ], outputs: ["y"])
      let expected = (0..<3).map { column in
        go
          ? x[0] * weights[column] + x[1] * weights[3 + column]
          : x[0] * weights[2 * column] + x[1] * weights[2 * column + 1]
      }
      #expect(try result[0].withElements(of: Float.self) { Array($0) } == expected)
    }
  }

  @Test(.installedEngines)
  func `an input without a shape keeps its type and accepts any shape`() throws {
    let library = try ONNXComponents.library()
    _ = try rewritten(TinyModel.doubling, unshapedInput: "x")
    let session = try ONNXSession(model: FilePath(folder.file("rewritten.onnx")), in: library)
    #expect(session.inputs == [ONNXPort("x", .float, [])])
    let x = try ONNXValue([Float](repeating: 2, count: 6), shape: [1, 2, 3], in: library)
    let result = try session.run([("x", x)], outputs: ["y"])
    #expect(try result[0].withElements(of: Float.self) { Array($0) }.allSatisfy { $0 == 4 })
  }

  @Test
  func `the error for a truncated model file contains the file's name, wherever the file ends`()
    throws
  {
    let model = TinyModel.weighing(bytes: [1, 2, 3, 4], scale: 1, offset: 0).bytes
    for count in 1..<model.count {
      do {
        _ = try rewritten(Message(bytes: Array(model.prefix(count))), quantizesInputs: true)
      } catch {
        let path = FilePath(folder.file("model.onnx"))
        #expect(
          error as? ONNXError == .fileDamaged(path: path, reason: "it is not an ONNX model"))
      }
    }
    #expect(throws: ONNXError.self) { try rewritten(Message(bytes: Array(model.dropLast()))) }
    #expect(throws: ONNXError.self) {
      try rewritten(Message(bytes: [UInt8](repeating: 0xFF, count: 100)))
    }
  }
}
