/// How samples are stored where no header says so: little-endian, one channel after the other.
public enum RawSampleFormat: String, Hashable, Sendable, CaseIterable {
  /// 16-bit integers.
  case int16 = "s16"
  /// 24-bit integers in three bytes.
  case int24 = "s24"
  /// 32-bit integers.
  case int32 = "s32"
  /// 32-bit floating point, full scale ±1.
  case float

  /// The bytes of a sample.
  public var byteCount: Int {
    switch self {
    case .int16: 2
    case .int24: 3
    case .int32, .float: 4
    }
  }

  /// The sample in the first bytes; full scale is ±1.
  func sample(_ bytes: ArraySlice<UInt8>) -> Float {
    switch self {
    case .int16: Float(Int16(truncatingIfNeeded: bits(bytes))) / 32_768
    case .int24: Float(Int32(truncatingIfNeeded: bits(bytes) << 8) >> 8) / 8_388_608
    case .int32: Float(Int32(bitPattern: bits(bytes))) / 2_147_483_648
    case .float: Float(bitPattern: bits(bytes))
    }
  }

  private func bits(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.prefix(byteCount).reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}
