/// A 24-bit integer in three bytes, in the byte order of the machine.
///
/// Its stride is three bytes too, so that an array of them is what the device takes.
struct PackedInt24: BitwiseCopyable, Equatable {
  // In memory in this order, because they are bytes.
  private let first: UInt8
  private let second: UInt8
  private let third: UInt8

  /// The low three bytes of `value`.
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

  /// The number, with its sign.
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
