import AudioThreads
import FilePaths
import Foundation
import Glibc
import ONNXRuntime

/// Converts a Whisper model of CTranslate2, in parts of a file, into a model file of whisper.cpp
/// with weights of 8 bits.
///
/// It reads and writes blocks, so its memory use is small.
struct WhisperConversion: Equatable, Sendable {
  /// The parts of the model, in order.
  var parts: [String]
  /// A list of tokens, a line each (`vocabulary.txt`) or in JSON (`vocabulary.json`).
  var vocabulary: String
  /// The name of the converted file.
  var file: String
  /// The SHA-256 of the converted file.
  var sha256: String

  /// The tokens that are texts; the others have fixed meanings.
  private static let textCount = 50_257

  /// Converts the model in `folder`, and removes the files that it was made from.
  ///
  /// - Throws: `CommandFailure` if the input is not such a model, or if the result is not the
  ///   expected file; `CancellationError`.
  func convert(in folder: FilePath) throws {
    let target = folder.appending(FilePath(file))
    do {
      let model = try StoredModel(parts.map { folder.appending(FilePath($0)) })
      let tokens = try Self.tokens(in: folder.appending(FilePath(vocabulary)))
      let output = Descriptor(
        owning: target.withCString { open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644) })
      guard output.number >= 0 else { throw FilePathError(code: errno) }
      try write(model, tokens: tokens) { bytes in
        let code = bytes.withUnsafeBytes { writeAll($0, to: output.number) }
        if code != 0 { throw FilePathError(code: code) }
      }
      // Its folder is published next, so the file must be on the disk.
      guard fsync(output.number) == 0 else { throw FilePathError(code: errno) }
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

  private func write(
    _ model: StoredModel, tokens: [[UInt8]], to output: ([UInt8]) throws -> Void
  ) throws {
    let embeddings = try model.shape("decoder/embeddings/weight", rank: 2)
    let mels = try model.shape("encoder/conv1/weight", rank: 3)[1]
    let window = try model.shape("encoder/position_encodings/encodings", rank: 2)[0]
    let context = try model.shape("decoder/position_encodings/encodings", rank: 2)[0]
    // A head has 64 numbers in every Whisper model.
    let (width, heads, layers) = (embeddings[1], embeddings[1] / 64, model.layerCounts)
    // The format 2007: 8-bit weights, version 2 of their encoding.
    let sizes = [
      embeddings[0], window, width, heads, layers.encoder, context, width, heads, layers.decoder,
      mels, 2_007,
    ]
    guard tokens.count >= Self.textCount else {
      throw StoredModel.damage("its vocabulary has only \(tokens.count) tokens")
    }
    var header = ([0x6767_6d6c] + sizes + [mels, Self.binCount]).flatMap(\.bytes)
    header += Self.melFilters(mels).flatMap { Int($0.bitPattern).bytes } + Self.textCount.bytes
    for token in tokens.prefix(Self.textCount) { header += token.count.bytes + token }
    try output(header)
    for weight in ModelWeight.all(encoder: layers.encoder, decoder: layers.decoder) {
      try weight.write(from: model, to: output)
    }
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
    // In vocabularies of GPT-2, printable bytes stand for themselves, and U+0100 and the following
    // characters for the others.
    var coded: [UInt32: UInt8] = [:]
    for byte in UInt8.min...UInt8.max {
      switch byte {
      case 0x21...0x7E, 0xA1...0xAC, 0xAE...0xFF: coded[UInt32(byte)] = byte
      default: coded[0x100 + UInt32(coded.keys.count { $0 >= 0x100 })] = byte
      }
    }
    return words.map { word in word.unicodeScalars.compactMap { coded[$0.value] } }
  }

  private static let binCount = 201

  /// Returns triangular filters on the mel scale of Slaney, for a transform of 400 points at 16 kHz.
  ///
  /// The scale is linear below 1 kHz, which is 15 mel, and logarithmic above.
  private static func melFilters(_ count: Int) -> [Float] {
    let step = log(6.4) / 27
    let highest = 15 + log(8.0) / step
    let edges = (0...(count + 1)).map { index in
      let mel = highest * Double(index) / Double(count + 1)
      return mel < 15 ? mel * 200 / 3 : 1_000 * exp((mel - 15) * step)
    }
    return (0..<count).flatMap { index in
      let (low, center, high) = (edges[index], edges[index + 1], edges[index + 2])
      return (0..<binCount).map { bin in
        let hertz = Double(bin) * 40
        let slope = min((hertz - low) / (center - low), (high - hertz) / (high - center))
        return Float(max(0, slope) * 2 / (high - low))
      }
    }
  }
}

/// A weight of the converted model, and the stored one that contains it.
private struct ModelWeight {
  var name: String
  var source: String
  /// The type of ggml: 0 for 32-bit numbers, 1 for halves, and 8 for blocks of 8-bit numbers.
  var type: Int
  /// The index of this weight among the `partCount` stacked weights.
  var part = 0
  var partCount = 1

  /// The numbers that are converted at a time, and those in a block.
  private static let (step, blockCount) = (32_768, 32)

  static func all(encoder: Int, decoder: Int) -> [ModelWeight] {
    func weight(_ name: String, _ source: String, _ type: Int) -> [ModelWeight] {
      [ModelWeight(name: name, source: source, type: type)]
    }
    func norm(_ name: String, _ source: String) -> [ModelWeight] {
      weight("\(name).weight", "\(source)/gamma", 0) + weight("\(name).bias", "\(source)/beta", 0)
    }
    var all = weight("encoder.positional_embedding", "encoder/position_encodings/encodings", 0)
    for layer in ["conv1", "conv2"] {
      all += weight("encoder.\(layer).weight", "encoder/\(layer)/weight", 1)
      all += weight("encoder.\(layer).bias", "encoder/\(layer)/bias", 0)
    }
    for (side, count) in [("encoder", encoder), ("decoder", decoder)] {
      if side == "decoder" {
        all += weight("decoder.positional_embedding", "decoder/position_encodings/encodings", 0)
        all += weight("decoder.token_embedding.weight", "decoder/embeddings/weight", 8)
      }
      for layer in 0..<count {
        let (block, stored) = ("\(side).blocks.\(layer)", "\(side)/layer_\(layer)")
        let isDecoder = side == "decoder"
        for group in groups where isDecoder || !group.name.hasPrefix("cross") {
          all += norm("\(block).\(group.name)_ln", "\(stored)/\(group.source)/layer_norm")
          for (index, parts) in group.layers.enumerated() {
            for (part, name) in parts.enumerated() {
              let name = "\(block).\(group.name)\(name)"
              let source = "\(stored)/\(group.source)/linear_\(index)"
              // The model has no biases for keys; the stored ones are zero.
              let kinds = name.hasSuffix(".key") ? [("weight", 8)] : [("weight", 8), ("bias", 0)]
              for (kind, type) in kinds {
                var weight = ModelWeight(
                  name: "\(name).\(kind)", source: "\(source)/\(kind)", type: type)
                (weight.part, weight.partCount) = (part, parts.count)
                all.append(weight)
              }
            }
          }
        }
      }
      all += norm(side == "encoder" ? "encoder.ln_post" : "decoder.ln", "\(side)/layer_norm")
    }
    return all
  }

  /// The groups of a layer: the converted and the stored name, and the parts of each linear layer.
  private static let groups: [(name: String, source: String, layers: [[String]])] = [
    ("attn", "self_attention", [[".query", ".key", ".value"], [".out"]]),
    ("cross_attn", "attention", [[".query"], [".key", ".value"], [".out"]]),
    ("mlp", "ffn", [[".0"], [".2"]]),
  ]

  func write(from model: StoredModel, to output: ([UInt8]) throws -> Void) throws {
    var shape = try model.shape(source)
    shape[0] /= partCount
    let count = shape.reduce(1, *)
    // The biases of convolutions are columns.
    let isColumn = source.contains("/conv") && shape.count == 1
    let dimensions = isColumn ? [1] + shape : shape.reversed()
    try output(
      ([dimensions.count, name.utf8.count, type] + dimensions).flatMap(\.bytes) + name.utf8)
    guard type != 8 || count.isMultiple(of: Self.blockCount) else {
      throw StoredModel.damage("\(source) does not consist of whole blocks")
    }
    for begin in stride(from: 0, to: count, by: Self.step) {
      try Task.checkCancellation()
      let range = (begin + part * count)..<(min(begin + Self.step, count) + part * count)
      let halves = try model.halves(source, range)
      switch type {
      case 0: try output(halves.flatMap { Int($0.number.bitPattern).bytes })
      case 1: try output(halves.flatMap(\.bytes))
      default: try output(Self.blocks(halves.map(\.number)))
      }
    }
    model.releasePages()
  }

  /// Returns blocks of a scale, as a half, and 32 numbers of 8 bits.
  private static func blocks(_ numbers: [Float]) -> [UInt8] {
    var bytes: [UInt8] = []
    for begin in stride(from: 0, to: numbers.count, by: blockCount) {
      let block = numbers[begin..<begin + blockCount]
      let scale = block.reduce(0) { max($0, abs($1)) } / 127
      bytes += Float16(scale).bitPattern.bytes
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

  fileprivate var bytes: [UInt8] { [UInt8(self & 0xFF), UInt8(self >> 8)] }
}

extension Int {
  /// The lower 32 bits, in little-endian order.
  fileprivate var bytes: [UInt8] {
    [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: self >> $0) }
  }
}

/// A model of CTranslate2, split over several mapped files.
private final class StoredModel {
  private let files: [MappedFile]
  /// The weights of 16-bit numbers, with their places in the joined files.
  private var weights: [String: (shape: [Int], offset: Int)] = [:]
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
      let shape = try (0..<(try number(1))).map { _ in try number(4) }
      let isHalf = try number(1) == 4
      let count = try number(4)
      if isHalf, (1...3).contains(shape.count), shape.allSatisfy({ 1..<1_000_000 ~= $0 }) {
        guard shape.reduce(2, *) == count else { throw Self.damage("\(name) has another size") }
        weights[name] = (shape, position)
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
    defer { position += size }
    return try bytes(position..<position + size).reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  private func text() throws -> String {
    let length = try number(2)
    defer { position += length }
    return String(decoding: try bytes(position..<position + length).dropLast(), as: UTF8.self)
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
