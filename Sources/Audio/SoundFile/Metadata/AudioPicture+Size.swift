import CTagLib

extension AudioPicture {
  /// The size in the header of a PNG, JPEG, or GIF picture; zeros for other pictures, and for
  /// damaged headers.
  var size: syrinx_picture_size {
    let begins = { (mark: [UInt8]) in content.starts(with: mark) }
    let size =
      begins([0x89, 0x50, 0x4E, 0x47])
      ? pngSize
      : begins([0xFF, 0xD8]) ? jpegSize : begins(Array("GIF8".utf8)) ? gifSize : nil
    return size ?? syrinx_picture_size()
  }

  /// The maximum number of bytes to search for the size, because a crafted header may have no end.
  private static let longestHeader = 1 << 20

  private func number(at offset: Int, _ count: Int) -> Int? {
    offset + count <= min(content.count, Self.longestHeader) ? content.big(at: offset, count) : nil
  }

  private var pngSize: syrinx_picture_size? {
    guard let width = number(at: 16, 4), let height = number(at: 20, 4),
      let bits = number(at: 24, 1), let type = number(at: 25, 1)
    else { return nil }
    // A palette has three bytes for each color.
    guard type != 3 else {
      return Self.size(width, height, depth: 24, colors: (paletteLength ?? 0) / 3)
    }
    let channels = [0: 1, 2: 3, 4: 2, 6: 4][type] ?? 0
    return Self.size(width, height, depth: bits * channels)
  }

  /// The number of bytes of a PNG's palette, which precedes the pixels.
  private var paletteLength: Int? {
    var offset = 8
    while let length = number(at: offset, 4), let name = number(at: offset + 4, 4) {
      if name == 0x504C_5445 { return length }
      offset += length + 12
    }
    return nil
  }

  private var jpegSize: syrinx_picture_size? {
    // The markers of a frame header; the other three markers in this range have other meanings.
    let frames = Set(0xC0...0xCF).subtracting([0xC4, 0xC8, 0xCC])
    var offset = 2
    while let marker = number(at: offset, 2), marker >> 8 == 0xFF {
      // Any number of 0xFF bytes may precede a marker.
      guard marker != 0xFFFF else {
        offset += 1
        continue
      }
      guard let length = number(at: offset + 2, 2) else { return nil }
      if frames.contains(marker & 0xFF) {
        guard let bits = number(at: offset + 4, 1), let height = number(at: offset + 5, 2),
          let width = number(at: offset + 7, 2), let channels = number(at: offset + 9, 1)
        else { return nil }
        return Self.size(width, height, depth: bits * channels)
      }
      offset += 2 + length
    }
    return nil
  }

  private var gifSize: syrinx_picture_size? {
    guard content.count > 10 else { return nil }
    return Self.size(
      content.little(at: 6, 2), content.little(at: 8, 2), depth: 24,
      colors: 1 << (Int(content[10] & 7) + 1))
  }

  private static func size(
    _ width: Int, _ height: Int, depth: Int, colors: Int = 0
  ) -> syrinx_picture_size {
    syrinx_picture_size(
      width: UInt32(clamping: width), height: UInt32(clamping: height),
      depth: UInt32(clamping: depth), colors: UInt32(clamping: colors))
  }
}
