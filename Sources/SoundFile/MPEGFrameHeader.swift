/// What the first four bytes of a block of an MP3 file say; MPEG calls such a block a frame.
struct MPEGFrameHeader: Equatable {
  /// The bytes from the start of this block to that of the next.
  let byteCount: Int
  /// Where the decoder's own information ends and the coded sound begins.
  let contentOffset: Int

  /// - Returns: nil where there is no such block, or one of a rate that we do not write.
  init?(_ bits: UInt32) {
    let (synchronisation, layer3) = (0x7FF as UInt32, 0b01 as UInt32)
    guard bits >> 21 == synchronisation, bits >> 17 & 0b11 == layer3 else { return nil }
    let isMPEG1 = bits >> 19 & 0b11 == 0b11
    guard isMPEG1 || bits >> 19 & 0b11 == 0b10 else { return nil }
    let (bitRate, sampleRate) = (Int(bits >> 12 & 0xF), Int(bits >> 10 & 0b11))
    guard (1...14).contains(bitRate), sampleRate < 3 else { return nil }
    let kilobits = (isMPEG1 ? mpeg1BitRates : mpeg2BitRates)[bitRate - 1]
    let hertz = [44_100, 48_000, 32_000][sampleRate] / (isMPEG1 ? 1 : 2)
    let padding = Int(bits >> 9 & 1)
    byteCount = (isMPEG1 ? 144_000 : 72_000) * kilobits / hertz + padding
    let isMono = bits >> 6 & 0b11 == 0b11
    let hasChecksum = bits >> 16 & 1 == 0
    let information = isMPEG1 ? (isMono ? 17 : 32) : (isMono ? 9 : 17)
    contentOffset = 4 + (hasChecksum ? 2 : 0) + information
  }
}

private let mpeg1BitRates = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
private let mpeg2BitRates = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
