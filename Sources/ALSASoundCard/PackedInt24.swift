/// A 24-bit integer in three native-endian bytes.
///
/// Its stride is three bytes, so an array of them matches the device's format.
struct PackedInt24: BitwiseCopyable, Equatable {
  // Their memory order is their declaration order.
  private let first: UInt8
  private let second: UInt8
  private let third: UInt8

  /// Keeps the low three bytes of `value`.
  @inline(__always)
  init(_ value: Int32) {
    let low = UInt8(truncatingIfNeeded: value)
    let high = UInt8(truncatingIfNeeded: value >> 16)
    second = UInt8(truncatingIfNeeded: value >> 8)
    #if _endian(little)
    (first, third) = (low, high)
    #else
    (first, third) = (high, low)
    #endif
  }

  /// The signed value.
  @inline(__always)
  var value: Int32 {
    #if _endian(little)
    let (low, high) = (first, third)
    #else
    let (low, high) = (third, first)
    #endif
    return Int32(Int8(bitPattern: high)) << 16 | Int32(second) << 8 | Int32(low)
  }
}
