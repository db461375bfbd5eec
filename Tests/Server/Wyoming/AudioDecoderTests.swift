import AudioCore
import Foundation
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
  func `samples are signed and little-endian, but unsigned at 8 bits, as in a WAV file`(
    width: Int, payload: [UInt8]
  ) throws {
    var decoder = AudioDecoder(format: try format(width: width))
    #expect(try decoder.add(payload).samples == [0.5, -1, 0])
  }

  @Test func `frames that are split across payloads are joined and numbered`() throws {
    let bytes: [UInt8] = (0..<40).map { $0 }
    for cut in 0...bytes.count {
      var whole = AudioDecoder(format: try format(width: 2, channels: 2))
      var cutOne = AudioDecoder(format: try format(width: 2, channels: 2))
      let first = try cutOne.add(Array(bytes[..<cut]))
      let second = try cutOne.add(Array(bytes[cut...]))
      #expect(try first.samples + second.samples == whole.add(bytes).samples)
      #expect(second.firstFrame == first.endFrame)
      #expect(first.format == AudioFormat(sampleRate: 8_000, channelCount: 2))
    }
  }

  @Test func `16-bit samples round-trip, and samples beyond full scale are clipped`() throws {
    let samples: [Float] = [0, 0.5, -0.25, 1, -1, 2, -2]
    var decoder = AudioDecoder(format: .speech)
    let largest: Float = 32_767.0 / 32_768
    #expect(
      try decoder.add(sixteenBitPayload(samples)).samples == [
        0, 0.5, -0.25, largest, -1, largest, -1,
      ])
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

  // MARK: Floating-point samples

  /// Returns a tone with harmonics, noise, and a pause of exact zeros; its peak is 1.
  private static func audio(seconds: Double = 0.5, frequency: Double = 150) -> [Double] {
    var noise: UInt32 = 1
    return (0..<Int(seconds * 8_000)).map { frame in
      if frame % 4_000 < 400 { return 0 }
      noise = noise &* 1_664_525 &+ 1_013_904_223
      let phase = Double(frame) / 8_000 * frequency * 2 * .pi
      let hiss = Double(noise) / 0x1p32 - 0.5
      return max(-1, min(1, 0.7 * sin(phase) + 0.25 * sin(3 * phase) + 0.1 * hiss))
    }
  }

  private static func floatPayload(_ samples: [Double], gain: Double) -> [UInt8] {
    samples.flatMap { sample in
      withUnsafeBytes(of: Float(sample * gain).bitPattern.littleEndian, Array.init)
    }
  }

  private static func integerPayload(_ samples: [Double], gain: Double) -> [UInt8] {
    samples.flatMap { sample in
      withUnsafeBytes(of: Int32(sample * gain * 0x7FFF_FFFF).littleEndian, Array.init)
    }
  }

  /// Decodes a payload in chunks of this size, and returns all samples.
  private func decoded(_ payload: [UInt8], by size: Int, width: Int = 4) throws -> [Float] {
    var decoder = AudioDecoder(format: try format(width: width))
    return try stride(from: 0, to: payload.count, by: size).flatMap { begin in
      try decoder.add(Array(payload[begin..<min(begin + size, payload.count)])).samples
    }
  }

  @Test(arguments: [1, 0.5, 0.01, 0.000_1], [7, 640, 1 << 20])
  func `floating-point samples of width 4 are refused at any level and chunk size`(
    gain: Double, size: Int
  ) {
    #expect(throws: AudioFormatError.floatingPoint) {
      try decoded(Self.floatPayload(Self.audio(), gain: gain), by: size)
    }
  }

  @Test func `the error for floating-point samples names a width that works`() {
    #expect(AudioFormatError.floatingPoint.description.contains("signed integers"))
    #expect(AudioFormatError.floatingPoint.description.contains("width 2"))
  }

  @Test(arguments: [1, 0.63, 0.5, 0.45, 0.3, 0.01, 0.000_1, 1e-9], [20, 150, 3_000])
  func `integer samples of width 4 are accepted at any level and pitch`(
    gain: Double, frequency: Double
  ) throws {
    let samples = Self.audio(frequency: frequency)
    let found = try decoded(Self.integerPayload(samples, gain: gain), by: 640)
    let worst = zip(samples, found).map { abs($0 * gain - Double($1)) }.max() ?? 1
    #expect(found.count == samples.count && worst < 1e-6, "\(worst)")
  }

  @Test
  func `integer samples at levels whose bits resemble floating-point numbers are accepted`()
    throws
  {
    for level in [0.4, 0.49, 0.5, 0.55, 0.62] {
      let square = (0..<8_000).map { $0 / 40 % 2 == 0 ? level : -level }
      #expect(try decoded(Self.integerPayload(square, gain: 1), by: 640).count == 8_000)
    }
  }

  @Test func `silence and a constant level are accepted at width 4`() throws {
    for level in [0, 0.45, -0.55] {
      let constant = [Double](repeating: level, count: 8_000)
      #expect(try decoded(Self.integerPayload(constant, gain: 1), by: 640).count == 8_000)
    }
  }

  @Test func `audio too short to be recognized as floating-point samples is accepted`() throws {
    let payload = Self.floatPayload(Self.audio(), gain: 0.5)
    // The first 400 samples are zeros and do not count, and the remaining 999 are one too few.
    #expect(try decoded(Array(payload.prefix(1_399 * 4)), by: 640).count == 1_399)
    #expect(throws: AudioFormatError.floatingPoint) {
      try decoded(Array(payload.prefix(1_400 * 4)), by: 640)
    }
  }

  @Test(arguments: [1, 2, 3]) func `samples of other widths are not checked for floating point`(
    width: Int
  ) throws {
    let payload = Self.floatPayload(Self.audio(seconds: 0.6), gain: 0.5)
    #expect(try decoded(payload, by: 640, width: width).count == payload.count / width)
  }
}
