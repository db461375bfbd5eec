import FilePaths
import Foundation
import ONNXRuntime
import TestTools
import Testing

@testable import SyrinxCommand

@Suite(.timeLimit(.minutes(5))) struct WhisperConversionTests {
  let folder: TestFolder

  init() throws { folder = try TestFolder() }

  /// The sizes of the stored model: width, mels, window, context, and embeddings.
  private static let (width, mels, window, context, rows) = (64, 80, 6, 4, 40)

  private static var shapes: [(name: String, shape: [Int])] {
    var shapes: [(String, [Int])] = [
      ("decoder/embeddings/weight", [rows, width]),
      ("decoder/position_encodings/encodings", [context, width]),
      ("encoder/position_encodings/encodings", [window, width]),
      ("encoder/conv1/weight", [width, mels, 3]), ("encoder/conv1/bias", [width]),
      ("encoder/conv2/weight", [width, width, 3]), ("encoder/conv2/bias", [width]),
    ]
    func norm(_ name: String) {
      shapes += [("\(name)/layer_norm/gamma", [width]), ("\(name)/layer_norm/beta", [width])]
    }
    func linear(_ name: String, _ height: Int, _ width: Int) {
      shapes += [("\(name)/weight", [height, width]), ("\(name)/bias", [height])]
    }
    for side in ["encoder", "decoder"] {
      norm(side)
      let layer = "\(side)/layer_0"
      norm("\(layer)/self_attention")
      linear("\(layer)/self_attention/linear_0", 3 * width, width)
      linear("\(layer)/self_attention/linear_1", width, width)
      norm("\(layer)/ffn")
      linear("\(layer)/ffn/linear_0", 4 * width, width)
      linear("\(layer)/ffn/linear_1", width, 4 * width)
    }
    norm("decoder/layer_0/attention")
    linear("decoder/layer_0/attention/linear_0", width, width)
    linear("decoder/layer_0/attention/linear_1", 2 * width, width)
    linear("decoder/layer_0/attention/linear_2", width, width)
    return shapes
  }

  /// The number at an index of a stored weight.
  private static func number(_ index: Int, in name: String) -> Float {
    Float((index * 7 + name.utf8.reduce(0) { $0 + Int($1) }) % 201 - 100) / 128
  }

  private static func integer<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }

  private static func text(_ text: String) -> [UInt8] {
    integer(UInt16(text.utf8.count + 1)) + text.utf8 + [0]
  }

  /// A model of CTranslate2 with a layer on each side, and with a weight that is not converted.
  private static let stored: [UInt8] = {
    var bytes = integer(UInt32(6)) + text("WhisperSpec") + integer(UInt32(3))
    bytes += integer(UInt32(shapes.count + 1))
    bytes += text("decoder/num_heads") + [0, 2] + integer(UInt32(2)) + integer(UInt16(1))
    for (name, shape) in shapes {
      let count = shape.reduce(1, *)
      bytes += text(name) + [UInt8(shape.count)] + shape.flatMap { integer(UInt32($0)) }
      bytes += [4] + integer(UInt32(count * 2))
      for index in 0..<count { bytes += integer(Float16(number(index, in: name)).bitPattern) }
    }
    return bytes
  }()

  /// Writes the stored model in two parts, the first of which has `length` bytes.
  private func write(
    _ bytes: [UInt8] = stored, first length: Int = 100_001, tokens: [String]? = nil
  ) throws {
    try Data(bytes.prefix(length)).write(to: folder.file("one"))
    try Data(bytes.dropFirst(length)).write(to: folder.file("two"))
    let tokens = tokens ?? ["Ġa", "Ã©", ""] + (3..<50_300).map { "t\($0)" }
    try Data(tokens.joined(separator: "\n").utf8).write(to: folder.file("words.txt"))
    try JSONEncoder().encode(tokens).write(to: folder.file("words.json"))
  }

  /// Converts the model, and returns the error; nil if the hash is the expected one.
  private func failure(vocabulary: String = "words.txt", sha256: String = "") -> String? {
    let conversion = WhisperConversion(
      parts: ["one", "two"], vocabulary: vocabulary, file: "ggml.bin", sha256: sha256)
    do {
      try conversion.convert(in: FilePath(folder.url))
      return nil
    } catch { return "\(error)" }
  }

  @Test func `a converted model has the header, filters, and tokens that libwhisper expects`()
    throws
  {
    try write()
    #expect(failure()?.contains("has the SHA-256") == true)
    var reader = ConvertedModel(try Data(contentsOf: folder.file("ggml.bin")))
    let sizes = [Self.rows, Self.window, 64, 1, 1, Self.context, 64, 1, 1, Self.mels, 2_007]
    #expect(reader.numbers(12) == [0x6767_6d6c] + sizes)
    #expect(reader.numbers(2) == [80, 201])
    let filters = reader.floats(80 * 201)
    #expect(filters[0] == 0 && abs(filters[1] - 0.024_862_59) < 1e-7)
    #expect(filters.allSatisfy { $0 >= 0 } && abs(filters[79 * 201 + 195] - 0.002_243_8) < 1e-6)
    #expect(reader.numbers(1) == [50_257])
    let tokens = (0..<50_257).map { _ in reader.text() }
    #expect(tokens.prefix(4) == [" a", "é", "", "t3"] && tokens.last == "t50256")
  }

  @Test func `each weight is converted with its name, shape, and numbers`() throws {
    try write()
    _ = failure()
    var model = try ConvertedModel(Data(contentsOf: folder.file("ggml.bin")))
    let weights = model.weights()
    #expect(weights.count == 15 + 24 + 11)
    func check(
      _ name: String, _ source: String, from first: Int = 0, shape: [Int], type: Int,
      accuracy: Float
    ) {
      guard let weight = weights[name] else {
        Issue.record("\(name) is missing")
        return
      }
      #expect(weight.shape == shape && weight.type == type, "\(name)")
      let expected = weight.numbers.indices.map { Self.number(first + $0, in: source) }
      #expect(weight.numbers.count == shape.reduce(1, *))
      #expect(zip(weight.numbers, expected).allSatisfy { abs($0 - $1) <= accuracy }, "\(name)")
    }
    check(
      "encoder.conv1.weight", "encoder/conv1/weight", shape: [3, 80, 64], type: 1, accuracy: 0)
    check("encoder.conv1.bias", "encoder/conv1/bias", shape: [1, 64], type: 0, accuracy: 0)
    check(
      "decoder.positional_embedding", "decoder/position_encodings/encodings", shape: [64, 4],
      type: 0, accuracy: 0)
    check("decoder.ln.bias", "decoder/layer_norm/beta", shape: [64], type: 0, accuracy: 0)
    // A block of numbers up to 0.79 has steps of at most 0.79 / 127.
    let accuracy: Float = 0.0032
    check(
      "decoder.token_embedding.weight", "decoder/embeddings/weight", shape: [64, 40], type: 8,
      accuracy: accuracy)
    for (part, name) in ["query", "key", "value"].enumerated() {
      check(
        "encoder.blocks.0.attn.\(name).weight", "encoder/layer_0/self_attention/linear_0/weight",
        from: part * 64 * 64, shape: [64, 64], type: 8, accuracy: accuracy)
    }
    check(
      "decoder.blocks.0.cross_attn.value.bias", "decoder/layer_0/attention/linear_1/bias",
      from: 64, shape: [64], type: 0, accuracy: 0)
    check(
      "decoder.blocks.0.mlp.2.weight", "decoder/layer_0/ffn/linear_1/weight", shape: [256, 64],
      type: 8, accuracy: accuracy)
    #expect(weights["decoder.blocks.0.cross_attn.key.bias"] == nil)
  }

  @Test(arguments: [1, 4_097, 150_000])
  func `the division into parts and the form of the vocabulary do not change the result`(
    length: Int
  ) throws {
    try write()
    _ = failure()
    let digest = try FilePath(folder.file("ggml.bin")).sha256()
    try FileManager.default.removeItem(at: folder.file("ggml.bin"))
    try write(first: length)
    #expect(failure(vocabulary: "words.json", sha256: digest) == nil)
    #expect(try folder.names == ["ggml.bin", "words.txt"])
  }

  @Test func `a model that is cut short or of another kind is an error`() throws {
    for bytes in [[], Array(Self.stored.prefix(60_000)), Array(Self.stored.dropLast(7))] {
      try write(bytes)
      try? FileManager.default.removeItem(at: folder.file("ggml.bin"))
      #expect(failure()?.contains("it ends early") == true)
    }
    try write(Array("PK not a model, but long enough".utf8))
    try? FileManager.default.removeItem(at: folder.file("ggml.bin"))
    #expect(failure()?.contains("not a model of CTranslate2") == true)
    try write(tokens: ["a"])
    try? FileManager.default.removeItem(at: folder.file("ggml.bin"))
    #expect(failure()?.contains("only 1 tokens") == true)
    try write()
    try Data("{}".utf8).write(to: folder.file("words.json"))
    try? FileManager.default.removeItem(at: folder.file("ggml.bin"))
    #expect(failure(vocabulary: "words.json")?.contains("not a list of tokens") == true)
  }
}

/// Reads a converted model from its beginning.
private struct ConvertedModel {
  struct Weight {
    var shape: [Int]
    var type: Int
    var numbers: [Float]
  }

  private let data: Data
  private var position = 0

  init(_ data: Data) { self.data = data }

  mutating func numbers(_ count: Int) -> [Int] { read(Int32.self, count).map(Int.init) }

  mutating func floats(_ count: Int) -> [Float] {
    read(UInt32.self, count).map(Float.init(bitPattern:))
  }

  mutating func text() -> String { text(length: numbers(1)[0]) }

  mutating func weights() -> [String: Weight] {
    position = 56 + 80 * 201 * 4
    for _ in 0..<numbers(1)[0] { _ = text() }
    var weights: [String: Weight] = [:]
    while position < data.count {
      let header = numbers(3)
      let shape = numbers(header[0])
      let name = text(length: header[1])
      let count = shape.reduce(1, *)
      let values: [Float] =
        switch header[2] {
        case 0: floats(count)
        case 1: read(UInt16.self, count).map { Float(Float16(bitPattern: $0)) }
        default:
          (0..<count / 32).flatMap { _ in
            let scale = Float(Float16(bitPattern: read(UInt16.self, 1)[0]))
            return read(Int8.self, 32).map { Float($0) * scale }
          }
        }
      weights[name] = Weight(shape: shape, type: header[2], numbers: values)
    }
    return weights
  }

  private mutating func text(length: Int) -> String {
    String(decoding: read(UInt8.self, length), as: UTF8.self)
  }

  private mutating func read<Number: FixedWidthInteger>(_: Number.Type, _ count: Int) -> [Number] {
    let size = MemoryLayout<Number>.size
    defer { position += count * size }
    return data.withUnsafeBytes { bytes in
      (0..<count).map {
        Number(
          littleEndian: bytes.loadUnaligned(fromByteOffset: position + $0 * size, as: Number.self))
      }
    }
  }
}
