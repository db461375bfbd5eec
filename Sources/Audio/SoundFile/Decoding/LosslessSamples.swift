import AudioCore

/// The number of bytes that `losslessSamples` needs.
let losslessHeadLength = 80

/// Returns the bits per sample and the sample format in the header of a lossless file: WavPack,
/// Monkey's Audio, True Audio, or FLAC in Ogg; nil for other files.
///
/// FFmpeg's output is always float, which does not show the number of stored bits.
///
/// - Parameter head: the first bytes of the file, after any ID3 tag.
func losslessSamples(head: [UInt8]) -> StoredSamples? {
  var (bits, isFloat): (Int?, Bool) = (nil, false)
  switch String(decoding: head.prefix(4), as: UTF8.self) {
  case "wvpk":
    guard let flags = number(in: head, at: 24, count: 4) else { return nil }
    (bits, isFloat) = (wavPackBits(flags), flags & (1 << 7) != 0)
  case "MAC ": bits = monkeysAudioBits(head)
  case "TTA1": bits = number(in: head, at: 8, count: 2)
  case "OggS": bits = bitsOfFLACInOgg(head)
  default: break
  }
  guard let bits, (1...32).contains(bits) else { return nil }
  return (bits, isFloat ? .float : .integers(bits))
}

private func number(in head: [UInt8], at offset: Int, count: Int) -> Int? {
  guard head.count >= offset + count else { return nil }
  var number = 0
  for byte in head[offset..<offset + count].reversed() { number = number << 8 | Int(byte) }
  return number
}

/// Returns the number of bits used in each sample; nil for lossy and for one-bit (DSD) audio.
private func wavPackBits(_ flags: Int) -> Int? {
  let (isLossy, isDSD) = (1 << 3, 1 << 31)
  guard flags & (isLossy | isDSD) == 0 else { return nil }
  return 8 * (1 + (flags & 3)) - ((flags >> 13) & 31)
}

/// Returns the bits per sample of Monkey's Audio.
///
/// From version 3.98 on, a descriptor with its own length precedes the header.
private func monkeysAudioBits(_ head: [UInt8]) -> Int? {
  guard let version = number(in: head, at: 4, count: 2) else { return nil }
  guard version < 3_980 else {
    guard let descriptorLength = number(in: head, at: 8, count: 4) else { return nil }
    return number(in: head, at: descriptorLength + 16, count: 2)
  }
  guard let flags = number(in: head, at: 8, count: 2) else { return nil }
  if flags & 1 != 0 { return 8 }
  return flags & 8 != 0 ? 24 : 16
}

/// Returns the bits per sample of FLAC in Ogg.
///
/// The first packet has FLAC's own header, where the bits per sample are stored in the low bit of a
/// byte and the upper half of the next byte.
private func bitsOfFLACInOgg(_ head: [UInt8]) -> Int? {
  guard head.count > 58, head[28...].starts(with: "\u{7F}FLAC".utf8) else { return nil }
  return (Int(head[57] & 1) << 4 | Int(head[58] >> 4)) + 1
}
