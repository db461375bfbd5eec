import Testing

@testable import SoundFile

@Suite struct MPEGFrameHeaderTests {
  /// The lengths are those of the tables in ISO 11172-3 and 13818-3.
  @Test func `an MPEG header yields the length of its frame and the offset of the audio data`()
    throws
  {
    // 128 kbit/s at 44.1 kHz in stereo, without and with the padding byte.
    #expect(try lengths(0xFFFB_9000) == [417, 36])
    #expect(try lengths(0xFFFB_9200) == [418, 36])
    // 320 kbit/s at 48 kHz, mono, with a checksum.
    #expect(try lengths(0xFFFA_E4C0) == [960, 23])
    // 64 kbit/s at 16 kHz, mono.
    #expect(try lengths(0xFFF3_88C4) == [288, 13])
    // 160 kbit/s at 22.05 kHz, stereo.
    #expect(try lengths(0xFFF3_E000) == [522, 21])
  }

  @Test(
    arguments: [0, 0xFFFB_F000, 0xFFFB_0000, 0xFFFB_9C00, 0xFFFD_9000, 0xFFE3_9000] as [UInt32])
  func `an invalid MPEG header is rejected`(bits: UInt32) {
    #expect(MPEGFrameHeader(bits) == nil)
  }

  private func lengths(_ bits: UInt32) throws -> [Int] {
    let header = try #require(MPEGFrameHeader(bits))
    return [header.byteCount, header.contentOffset]
  }
}
