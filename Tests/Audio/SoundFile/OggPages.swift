import Foundation

/// The pages of an Ogg file, which a test changes.
enum OggPages {
  /// Returns the file with `position` as the granule position of its last page, whose checksum is
  /// corrected.
  static func with(lastPosition position: UInt64, _ file: Data) -> Data {
    var bytes = [UInt8](file)
    var last = 0
    var offset = 0
    while offset + 27 <= bytes.count {
      last = offset
      let segments = Int(bytes[offset + 26])
      let sizes = bytes[(offset + 27)..<(offset + 27 + segments)]
      offset += 27 + segments + sizes.reduce(0) { $0 + Int($1) }
    }
    for index in 0..<8 {
      bytes[last + 6 + index] = UInt8(truncatingIfNeeded: position >> (8 * UInt64(index)))
    }
    bytes.withUnsafeMutableBufferPointer { repairChecksums($0) }
    return Data(bytes)
  }

  /// Gives each whole page the right checksum.
  static func repairChecksums(_ bytes: UnsafeMutableBufferPointer<UInt8>) {
    var start = 0
    while start + 27 <= bytes.count {
      guard bytes[start..<start + 4].elementsEqual("OggS".utf8) else {
        start += 1
        continue
      }
      let body = start + 27 + Int(bytes[start + 26])
      let sizes = bytes[(start + 27)..<min(body, bytes.count)]
      let end = body + sizes.reduce(0) { $0 + Int($1) }
      guard end <= bytes.count else {
        start += 1
        continue
      }
      for index in 0..<4 { bytes[start + 22 + index] = 0 }
      let checksum = checksum(UnsafeMutableBufferPointer(rebasing: bytes[start..<end]))
      for index in 0..<4 {
        bytes[start + 22 + index] = UInt8(truncatingIfNeeded: checksum >> (8 * UInt32(index)))
      }
      start = end
    }
  }

  /// Returns the checksum of Ogg: polynomial 0x04C11DB7, most significant bit first, from zero.
  private static func checksum(_ page: UnsafeMutableBufferPointer<UInt8>) -> UInt32 {
    page.reduce(0) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte) << 24) { sum, _ in
        sum & 0x8000_0000 == 0 ? sum << 1 : sum << 1 ^ 0x04C1_1DB7
      }
    }
  }
}
