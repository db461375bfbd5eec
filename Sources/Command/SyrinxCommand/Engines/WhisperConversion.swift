import AudioThreads
import FilePaths
import Foundation
import Glibc
import ONNXRuntime

/// Converts a Whisper model of CTranslate2, in parts of a file, into a model file of whisper.cpp
/// with weights of 8 bits.
///
/// It reads and writes a few thousand numbers at a time, so the model never is in memory as a whole.
struct WhisperConversion: Equatable, Sendable {
  /// The parts of the model, in order.
  var parts: [String]
  /// A list of tokens, a line each (`vocabulary.txt`) or in JSON (`vocabulary.json`).
  var vocabulary: String
  /// The name of the converted file.
  var file: String
  /// The SHA-256 of the converted file.
  var sha256: String

  /// The width of an attention head in every Whisper model.
  private static let headWidth = 64
  /// The tokens that are texts; the others have fixed meanings.
  private static let textCount = 50_257

  /// Converts the model in `folder`, and removes the files that it was made from.
  ///
  /// - Throws: `CommandFailure` if the input is not such a model, or if the result is not the
  ///   expected file; `CancellationError`.
  func convert(in folder: FilePath) throws {
    let target = folder.appending(FilePath(file))
    do {
      try write(
        StoredModel(parts.map { folder.appending(FilePath($0)) }),
        tokens: Self.tokens(in: folder.appending(FilePath(vocabulary))), to: ModelOutput(target))
    } catch let error as FilePathError {
      throw StoredModel.damage(error.reason)
    } catch is DecodingError {
      throw StoredModel.damage("its vocabulary is not a list of tokens")
    }
    for name in parts + [vocabulary] { folder.appending(FilePath(name)).remove() }
    let digest = try target.sha256()
    guard digest == sha256 else {
      throw CommandFailure(
        "the converted Whisper model has the SHA-256 \(digest), expected \(sha256)")
    }
  }

  private func write(_ model: StoredModel, tokens: [[UInt8]], to output: ModelOutput) throws {
    let embeddings = try model.shape("decoder/embeddings/weight", rank: 2)
    let convolution = try model.shape("encoder/conv1/weight", rank: 3)
    let window = try model.shape("encoder/position_encodings/encodings", rank: 2)[0]
    let context = try model.shape("decoder/position_encodings/encodings", rank: 2)[0]
    let (width, mels) = (embeddings[1], convolution[1])
    let (heads, layers) = (width / Self.headWidth, model.layerCounts)
    // The format 2007: 8-bit weights, version 2 of their encoding.
    try output.write(numbers: [
      0x6767_6d6c, embeddings[0], window, width, heads, layers.encoder, context, width, heads,
      layers.decoder, mels, 2_007,
    ])
    let filters = MelFilters.values(mels: mels)
    try output.write(numbers: [mels, MelFilters.binCount])
    for value in filters { try output.write(value.bitPattern) }
    guard tokens.count >= Self.textCount else {
      throw StoredModel.damage("its vocabulary has only \(tokens.count) tokens")
    }
    try output.write(numbers: [Self.textCount])
    for token in tokens.prefix(Self.textCount) {
      try output.write(numbers: [token.count])
      try output.write(token)
    }
    for weight in ModelWeight.all(encoder: layers.encoder, decoder: layers.decoder) {
      try Task.checkCancellation()
      try weight.write(from: model, to: output)
    }
    try output.finish()
  }

  /// Returns the bytes of the tokens in a vocabulary.
  private static func tokens(in path: FilePath) throws -> [[UInt8]] {
    let bytes = try path.contents(atMost: 16_777_216)
    let words =
      path.pathExtension == "json"
      ? try JSONDecoder().decode([String].self, from: Data(bytes))
      // One of the tokens is empty.
      : bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
    let coded = codedBytes
    return words.map { word in word.unicodeScalars.compactMap { coded[$0.value] } }
  }

  /// The bytes by the characters that stand for them in vocabularies of GPT-2: printable bytes stand
  /// for themselves, and U+0100 and the following characters for the others.
  private static var codedBytes: [UInt32: UInt8] {
    var coded: [UInt32: UInt8] = [:]
    for byte in UInt8.min...UInt8.max {
      switch byte {
      case 0x21...0x7E, 0xA1...0xAC, 0xAE...0xFF: coded[UInt32(byte)] = byte
      default: coded[0x100 + UInt32(coded.keys.count { $0 >= 0x100 })] = byte
      }
    }
    return coded
  }
}

/// Triangular filters on the mel scale of Slaney, for a transform of 400 points at 16 kHz.
private enum MelFilters {
  static let binCount = 201

  static func values(mels: Int) -> [Float] {
    let highest = mel(8_000)
    let edges = (0...(mels + 1)).map { hertz(highest * Double($0) / Double(mels + 1)) }
    return (0..<mels).flatMap { index in
      let (low, center, high) = (edges[index], edges[index + 1], edges[index + 2])
      return (0..<binCount).map { bin in
        let hertz = Double(bin) * 40
        let slope = min((hertz - low) / (center - low), (high - hertz) / (high - center))
        return Float(max(0, slope) * 2 / (high - low))
      }
    }
  }

  /// Linear below 1 kHz, and logarithmic above.
  private static func mel(_ hertz: Double) -> Double {
    hertz < 1_000 ? hertz * 3 / 200 : 15 + log(hertz / 1_000) * 27 / log(6.4)
  }

  private static func hertz(_ mel: Double) -> Double {
    mel < 15 ? mel * 200 / 3 : 1_000 * exp((mel - 15) * log(6.4) / 27)
  }
}

/// A weight of the converted model, and the stored one that contains it.
private struct ModelWeight {
  enum Form: Int {
    /// The type numbers of ggml.
    case floats = 0
    case halves = 1
    case blocks = 8
  }

  var name: String
  var source: String
  var form: Form
  /// The part of the stored weight, of `partCount` parts one below the other.
  var part = 0
  var partCount = 1
  /// Whether a dimension of 1 is added, as for the biases of convolutions.
  var isColumn = false

  /// The numbers that are converted at a time, a multiple of the numbers in a block.
  private static let step = 32_768
  private static let blockCount = 32

  static func all(encoder: Int, decoder: Int) -> [ModelWeight] {
    var all = [
      ModelWeight(
        name: "encoder.positional_embedding", source: "encoder/position_encodings/encodings",
        form: .floats)
    ]
    for layer in ["conv1", "conv2"] {
      all.append(
        ModelWeight(
          name: "encoder.\(layer).weight", source: "encoder/\(layer)/weight", form: .halves))
      all.append(
        ModelWeight(
          name: "encoder.\(layer).bias", source: "encoder/\(layer)/bias", form: .floats,
          isColumn: true))
    }
    for layer in 0..<encoder { all += self.layer(layer, of: "encoder") }
    all += norm("encoder.ln_post", "encoder/layer_norm")
    all.append(
      ModelWeight(
        name: "decoder.positional_embedding", source: "decoder/position_encodings/encodings",
        form: .floats))
    all.append(
      ModelWeight(
        name: "decoder.token_embedding.weight", source: "decoder/embeddings/weight",
        form: .blocks))
    for layer in 0..<decoder { all += self.layer(layer, of: "decoder") }
    return all + norm("decoder.ln", "decoder/layer_norm")
  }

  private static func layer(_ index: Int, of side: String) -> [ModelWeight] {
    let (block, stored) = ("\(side).blocks.\(index)", "\(side)/layer_\(index)")
    let own = "\(stored)/self_attention"
    var weights = norm("\(block).attn_ln", "\(own)/layer_norm")
    for (part, name) in ["query", "key", "value"].enumerated() {
      weights += linear("\(block).attn.\(name)", "\(own)/linear_0", part: part, of: 3)
    }
    weights += linear("\(block).attn.out", "\(own)/linear_1")
    if side == "decoder" {
      let cross = "\(stored)/attention"
      weights += norm("\(block).cross_attn_ln", "\(cross)/layer_norm")
      weights += linear("\(block).cross_attn.query", "\(cross)/linear_0")
      weights += linear("\(block).cross_attn.key", "\(cross)/linear_1", part: 0, of: 2)
      weights += linear("\(block).cross_attn.value", "\(cross)/linear_1", part: 1, of: 2)
      weights += linear("\(block).cross_attn.out", "\(cross)/linear_2")
    }
    weights += norm("\(block).mlp_ln", "\(stored)/ffn/layer_norm")
    weights += linear("\(block).mlp.0", "\(stored)/ffn/linear_0")
    return weights + linear("\(block).mlp.2", "\(stored)/ffn/linear_1")
  }

  private static func norm(_ name: String, _ source: String) -> [ModelWeight] {
    [
      ModelWeight(name: "\(name).weight", source: "\(source)/gamma", form: .floats),
      ModelWeight(name: "\(name).bias", source: "\(source)/beta", form: .floats),
    ]
  }

  private static func linear(
    _ name: String, _ source: String, part: Int = 0, of partCount: Int = 1
  ) -> [ModelWeight] {
    var weights = [
      ModelWeight(
        name: "\(name).weight", source: "\(source)/weight", form: .blocks, part: part,
        partCount: partCount)
    ]
    // The model has no biases for keys; the stored ones are zero.
    if !name.hasSuffix(".key") {
      weights.append(
        ModelWeight(
          name: "\(name).bias", source: "\(source)/bias", form: .floats, part: part,
          partCount: partCount))
    }
    return weights
  }

  func write(from model: StoredModel, to output: ModelOutput) throws {
    var shape = try model.shape(source)
    shape[0] /= partCount
    let count = shape.reduce(1, *)
    let dimensions = isColumn ? [1] + shape : shape.reversed()
    try output.write(numbers: [dimensions.count, name.utf8.count, form.rawValue] + dimensions)
    try output.write(Array(name.utf8))
    guard form != .blocks || count.isMultiple(of: Self.blockCount) else {
      throw StoredModel.damage("\(source) does not consist of whole blocks")
    }
    for begin in stride(from: 0, to: count, by: Self.step) {
      let range = begin..<min(begin + Self.step, count)
      let halves = try model.halves(
        source, range.lowerBound + part * count..<range.upperBound + part * count)
      switch form {
      case .floats: for half in halves { try output.write(half.number.bitPattern) }
      case .halves: for half in halves { try output.write(half) }
      case .blocks: try output.write(Self.blocks(halves.map(\.number)))
      }
    }
    model.releasePages()
  }

  /// Returns blocks of a scale, as a half, and 32 numbers of 8 bits.
  private static func blocks(_ numbers: [Float]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(numbers.count / blockCount * (blockCount + 2))
    for begin in stride(from: 0, to: numbers.count, by: blockCount) {
      let block = numbers[begin..<begin + blockCount]
      let scale = block.reduce(0) { max($0, abs($1)) } / 127
      let half = Float16(scale).bitPattern
      bytes.append(UInt8(half & 0xFF))
      bytes.append(UInt8(half >> 8))
      for number in block {
        let level = (number / scale).rounded()
        bytes.append(UInt8(bitPattern: Int8(level.isFinite ? max(-127, min(127, level)) : 0)))
      }
    }
    return bytes
  }
}

extension UInt16 {
  /// The number with the bits of this half.
  fileprivate var number: Float { Self.numbers[Int(self)] }

  private static let numbers = (0...UInt16.max).map { Float(Float16(bitPattern: $0)) }
}

/// A model of CTranslate2 in mapped files that continue each other.
private final class StoredModel {
  /// A weight of 16-bit numbers, and its place in the joined files.
  private struct Weight {
    var shape: [Int]
    var offset: Int
  }

  private let files: [MappedFile]
  private var weights: [String: Weight] = [:]
  private var position = 0

  static func damage(_ reason: String) -> CommandFailure {
    CommandFailure("the Whisper model cannot be converted: \(reason)")
  }

  init(_ paths: [FilePath]) throws {
    files = try paths.map { try MappedFile($0) }
    guard try number(4) == 6, try text() == "WhisperSpec" else {
      throw Self.damage("it is not a model of CTranslate2, version 6")
    }
    _ = try number(4)
    for _ in 0..<(try number(4)) {
      let name = try text()
      var shape: [Int] = []
      for _ in 0..<(try number(1)) { shape.append(try number(4)) }
      let isHalf = try number(1) == 4
      let count = try number(4)
      if isHalf, (1...3).contains(shape.count), shape.allSatisfy({ 1..<1_000_000 ~= $0 }) {
        guard shape.reduce(2, *) == count else { throw Self.damage("\(name) has another size") }
        weights[name] = Weight(shape: shape, offset: position)
      }
      position += count
    }
  }

  /// The numbers of layers.
  var layerCounts: (encoder: Int, decoder: Int) {
    let count = { (side: String) in
      (0...).prefix { self.weights["\(side)/layer_\($0)/ffn/linear_0/weight"] != nil }.count
    }
    return (count("encoder"), count("decoder"))
  }

  func shape(_ name: String, rank: Int? = nil) throws -> [Int] {
    guard let shape = weights[name]?.shape, rank == nil || shape.count == rank else {
      throw Self.damage("it lacks \(name) in 16 bits")
    }
    return shape
  }

  /// Returns the bits of numbers of a weight.
  func halves(_ name: String, _ range: Range<Int>) throws -> [UInt16] {
    let begin = (weights[name]?.offset ?? 0) + range.lowerBound * 2
    let bytes = try bytes(begin..<begin + range.count * 2)
    return stride(from: 0, to: bytes.count - 1, by: 2).map {
      UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8
    }
  }

  func releasePages() { for file in files { file.releasePages() } }

  private func number(_ size: Int) throws -> Int {
    let read = try bytes(position..<position + size)
    position += size
    return read.reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  private func text() throws -> String {
    let length = try number(2)
    let read = try bytes(position..<position + length)
    position += length
    return String(decoding: read.dropLast(), as: UTF8.self)
  }

  private func bytes(_ range: Range<Int>) throws -> [UInt8] {
    var (read, offset): ([UInt8], Int) = ([], 0)
    for file in files {
      let own = offset..<offset + file.bytes.count
      let part = range.clamped(to: own)
      if !part.isEmpty { read += file.bytes[part.lowerBound - offset..<part.upperBound - offset] }
      offset = own.upperBound
    }
    guard read.count == range.count else { throw Self.damage("it ends early") }
    return read
  }
}

/// The converted file, written in blocks.
private final class ModelOutput {
  private static let blockSize = 1_048_576

  private let descriptor: Descriptor
  private var waiting: [UInt8] = []

  init(_ path: FilePath) throws {
    descriptor = Descriptor(
      owning: path.withCString { open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644) })
    guard descriptor.number >= 0 else { throw FilePathError(code: errno) }
  }

  func write(_ bytes: [UInt8]) throws {
    waiting += bytes
    if waiting.count >= Self.blockSize { try flush() }
  }

  func write(numbers: [Int]) throws {
    for number in numbers { try write(UInt32(truncatingIfNeeded: number)) }
  }

  func write<Number: FixedWidthInteger>(_ number: Number) throws {
    withUnsafeBytes(of: number.littleEndian) { waiting += $0 }
    if waiting.count >= Self.blockSize { try flush() }
  }

  /// Writes the rest and waits until the file is on the disk, because its folder is published next.
  func finish() throws {
    try flush()
    guard fsync(descriptor.number) == 0 else { throw FilePathError(code: errno) }
  }

  private func flush() throws {
    let code = waiting.withUnsafeBytes { writeAll($0, to: descriptor.number) }
    guard code == 0 else { throw FilePathError(code: code) }
    waiting.removeAll(keepingCapacity: true)
  }
}
