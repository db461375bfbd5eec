import Foundation

/// A model file of whisper.cpp with the parts of a model of one layer, but only small weights.
///
/// Its structure is valid; libwhisper would reject the shapes of its weights.
struct TinyWhisperModel {
  var bytes: [UInt8] = []
  /// The offsets of the numbers that describe the structure.
  private(set) var numberOffsets: [Int] = []

  init() {
    let sizes = [0x6767_6d6c, 51_865, 1_500, 64, 1, 1, 448, 64, 1, 1, 80, 2_007]
    for size in sizes { append(size) }
    append(80)
    append(201)
    bytes += [UInt8](repeating: 0, count: 80 * 201 * 4)
    append(3)
    for token in ["a", " b", "ab"] {
      append(token.utf8.count)
      bytes += token.utf8
    }
    for index in 0..<(15 + 24 + 11) {
      let name = "weight.\(index)"
      let isLarge = index.isMultiple(of: 2)
      for number in [1, name.utf8.count, isLarge ? 8 : 0, 32] { append(number) }
      bytes += name.utf8
      bytes += [UInt8](repeating: 1, count: isLarge ? 34 : 128)
    }
  }

  mutating func set(_ number: UInt32, at offset: Int) {
    withUnsafeBytes(of: number.littleEndian) {
      bytes.replaceSubrange(offset..<offset + 4, with: $0)
    }
  }

  private mutating func append(_ number: Int) {
    numberOffsets.append(bytes.count)
    withUnsafeBytes(of: UInt32(number).littleEndian) { bytes += $0 }
  }
}
