import AudioCore
import Foundation

@testable import ALSASoundCard

/// A sample format, named as in ALSA and in a card's script.
enum CardFormat: String, CaseIterable, CustomStringConvertible {
  case float = "FLOAT"
  case int32 = "S32"
  case int24 = "S24"
  case int24Packed = "S24_3LE"
  case int16 = "S16"

  static let integers: [CardFormat] = [.int32, .int24, .int24Packed, .int16]

  var description: String { rawValue }

  var sampleFormat: PCMSampleFormat {
    switch self {
    case .float: .float32
    case .int32: .int32
    case .int24: .int24
    case .int24Packed: .int24Packed
    case .int16: .int16
    }
  }

  /// Returns the values in a raw file of the format.
  func samples(in file: URL) throws -> [Float] {
    switch self {
    case .float: try values(Float.self, in: file)
    case .int32: try values(Int32.self, in: file).map { Float($0) / 0x1p31 }
    case .int24: try values(Int32.self, in: file).map { Float($0) / 0x1p23 }
    case .int24Packed: try values(PackedInt24.self, in: file).map { Float($0.value) / 0x1p23 }
    case .int16: try values(Int16.self, in: file).map { Float($0) / 0x1p15 }
    }
  }
}
