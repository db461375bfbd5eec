import AudioCore
import Testing

@testable import Wyoming

@Suite struct AudioDecoderTests {
  private func format(width: Int, channels: Int = 1) throws -> WyomingAudioFormat {
    try WyomingAudioFormat([
      "rate": 8_000, "width": .integer(width), "channels": .integer(channels),
    ])
  }

  @Test(
    arguments: [
      (1, [0xC0, 0x00, 0x80]), (2, [0x00, 0x40, 0x00, 0x80, 0x00, 0x00]),
      (3, [0, 0, 0x40, 0, 0, 0x80, 0, 0, 0]),
      (4, [0, 0, 0, 0x40, 0, 0, 0, 0x80, 0, 0, 0, 0]),
    ] as [(Int, [UInt8])])
  func `samples are signed and little-endian, and unsigned at 8 bits, as in a WAV file`(
    width: Int, payload: [UInt8]
  ) throws {
    var decoder = AudioDecoder(format: try format(width: width))
    #expect(decoder.add(payload).samples == [0.5, -1, 0])
  }

  @Test func `frames that are split across payloads are joined and numbered`() throws {
    let bytes: [UInt8] = (0..<40).map { $0 }
    for cut in 0...bytes.count {
      var whole = AudioDecoder(format: try format(width: 2, channels: 2))
      var cutOne = AudioDecoder(format: try format(width: 2, channels: 2))
      let (first, second) = (cutOne.add(Array(bytes[..<cut])), cutOne.add(Array(bytes[cut...])))
      #expect(first.samples + second.samples == whole.add(bytes).samples)
      #expect(second.firstFrame == first.endFrame)
      #expect(first.format == AudioFormat(sampleRate: 8_000, channelCount: 2))
    }
  }

  @Test func `samples at 16 bits round-trip, and louder ones are clipped`() {
    let samples: [Float] = [0, 0.5, -0.25, 1, -1, 2, -2]
    var decoder = AudioDecoder(format: .speech)
    let largest: Float = 32_767.0 / 32_768
    #expect(
      decoder.add(sixteenBitPayload(samples)).samples == [0, 0.5, -0.25, largest, -1, largest, -1])
  }

  @Test(
    arguments: [
      ["width": 2, "channels": 1], ["rate": 16_000, "channels": 1], ["rate": 16_000, "width": 2],
      ["rate": 0, "width": 2, "channels": 1], ["rate": 16_000, "width": 5, "channels": 1],
      ["rate": 16_000, "width": 2, "channels": 0], ["rate": "16000", "width": 2, "channels": 1],
      ["rate": 1_000_000, "width": 2, "channels": 1],
      ["rate": 16_000, "width": 2, "channels": .null],
      ["rate": -16_000, "width": 2, "channels": 1], ["rate": 1, "width": 2, "channels": 1],
    ] as [[String: JSONValue]]) func `an invalid audio format is an error`(
      data: [String: JSONValue]
    )
  {
    #expect(throws: AudioFormatError.self) { _ = try WyomingAudioFormat(data) }
  }
}
