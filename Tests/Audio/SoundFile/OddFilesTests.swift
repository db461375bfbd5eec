import AudioCore
import Foundation
import TestTools
import Testing

@testable import SoundFile

#if canImport(Glibc)
import Glibc
#endif

/// Files that are odd, but valid.
@Suite struct OddFilesTests {
  private let folder: TestFolder
  private let source: URL

  init() throws {
    folder = try TestFolder()
    source = try folder.file("source.wav", .wav16, sampleBuffer())
  }

  private func made(_ name: String, _ options: String...) throws -> Data {
    let file = folder.file(name)
    let words = ["-v", "error", "-y", "-i", source.path] + options + [file.path]
    try Tool.run("ffmpeg", package: "ffmpeg", words)
    return try Data(contentsOf: file)
  }

  private func number(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// Returns a WAV file as `arecord -f S24_LE` writes it: 24 bits in the low three bytes of four.
  private func recorded(_ samples: [Int32], isExtended: Bool = true) -> Data {
    let bytes = samples.flatMap { sample in
      number(Int(sample), 3) + [isExtended && sample < 0 ? 0xFF : 0]
    }
    return Data(
      Array("RIFF".utf8) + number(36 + bytes.count, 4) + Array("WAVEfmt ".utf8) + number(16, 4)
        + number(1, 2) + number(1, 2) + number(8_000, 4) + number(32_000, 4) + number(4, 2)
        + number(24, 2) + Array("data".utf8) + number(bytes.count, 4) + bytes)
  }

  private let words: [Int32] = [1 << 22, -(1 << 22), 0, 1, -1, (1 << 23) - 1, -(1 << 23)]

  @Test(arguments: [true, false], [true, false])
  func `samples of 24 bits in four bytes are scaled to full scale`(isExtended: Bool, isPipe: Bool)
    throws
  {
    let data = recorded(words, isExtended: isExtended)
    let pipe = TestPipe()
    defer { close(pipe.outlet) }
    try pipe.feed(data)
    let reader =
      try isPipe
      ? SoundFileReader(fileDescriptor: pipe.outlet)
      : SoundFileReader(url: folder.file("a.wav", data))
    #expect(try everything(reader) == words.map { Float($0) / 0x1p23 })
    #expect(reader.bitsPerSample == 24 && reader.samples == .int24)
  }

  @Test
  func `24-bit samples in the upper three of four bytes keep their level after a quiet start`()
    throws
  {
    let quiet = (0..<20_000).map { Int32($0 % 97 - 48) }
    let samples = quiet + [1 << 22, -(1 << 22)]
    var data = recorded(samples.map { _ in 0 })
    data.replaceSubrange(44..., with: samples.flatMap { [0] + number(Int($0), 3) })
    let reader = try SoundFileReader(url: folder.file("a.wav", data))
    #expect(try everything(reader) == samples.map { Float($0) / 0x1p23 })
  }

  @Test func `quiet noise in a format without a signature is not identified as AAC`() throws {
    var generator = SeededNumbers(seed: 1)
    for index in 0..<3 {
      let noise = (0..<30_000).flatMap { _ in
        number(Int.random(in: -20...20, using: &generator), 2).reversed()
      }
      let bytes: [UInt8] = [7, 7, 7, 7] + noise
      let kind = try FileKind { offset, count in
        Array(bytes.dropFirst(offset).prefix(count))
      }
      #expect(kind == nil, "\(index)")
    }
  }

  @Test(arguments: ["a.flac", "a.aac", "a.mp3"])
  func `junk before the first audio data is skipped`(name: String) throws {
    let data = try made(name, "-write_xing", "0")
    let whole = try everything(folder.file(name))
    let junk = Data((0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* 7 % 251 & 0x7F) })
    let reader = try SoundFileReader(url: folder.file("junk-\(name)", junk + data))
    #expect(abs(try everything(reader).count - whole.count) < 2 * 2 * 1_152)
  }

  @Test func `FLAC that changes its format is decoded up to the change`() throws {
    let data = try made("a.flac") + made("b.flac", "-ar", "22050")
    let reader = try SoundFileReader(url: folder.file("c.flac", data))
    #expect(try everything(reader) == sampleBuffer().samples)
    #expect("\(try #require(reader.shortfall))".contains("the format changes"))
  }

  @Test func `a FLAC frame with a rate of 0 Hz counts as damage`() throws {
    let file = folder.file("a.flac")
    try Tool.run(
      "sox", package: "sox",
      ["-n", "-r", "44100", "-c", "1", "-b", "16", file.path, "synth", "4096s", "sine", "400"])
    let bytes = try [UInt8](Data(contentsOf: file))
    var start = 4
    var isLast = false
    while !isLast {
      isLast = bytes[start] & 0x80 != 0
      start += 4 + bytes[start + 1..<start + 4].reduce(0) { $0 << 8 | Int($1) }
    }
    // The file has a single FLAC frame. In its header, the rate in kHz follows the frame number.
    let block = bytes[start...].dropLast(2)
    var header = [block[start], block[start + 1], block[start + 2] & 0xF0 | 12, block[start + 3]]
    header += [0, 0]
    header.append(UInt8(checksum(of: header, bits: 8, polynomial: 0x07)))
    let crafted = header + block[(start + 6)...]
    let sum = checksum(of: crafted, bits: 16, polynomial: 0x8005)
    let data = Data(bytes[..<start] + crafted + [UInt8(sum >> 8), UInt8(sum & 0xFF)])
    let reader = try SoundFileReader(url: folder.file("b.flac", data))
    #expect(throws: SoundFileError.self) { try everything(reader) }
  }

  private func checksum(of bytes: [UInt8], bits: Int, polynomial: Int) -> Int {
    bytes.reduce(0) { sum, byte in
      (0..<8).reduce(sum ^ Int(byte) << (bits - 8)) { sum, _ in
        (sum << 1 ^ (sum >> (bits - 1) & 1) * polynomial) & (1 << bits - 1)
      }
    }
  }

  @Test func `a complete WAV file with MP3 audio has no shortfall`() throws {
    _ = try made("a.wav", "-c:a", "libmp3lame", "-ar", "8000", "-ac", "1")
    let reader = try SoundFileReader(url: folder.file("a.wav"))
    _ = try everything(reader)
    #expect(reader.framesRead > 7_000 && reader.shortfall == nil)
    #expect(try AudioFileInfo(url: folder.file("a.wav")).shortfall == nil)
  }

  @Test func `a GSM file with a pad byte at its end is complete`() throws {
    // The audio has 65 bytes, an odd number, so a pad byte follows.
    let file = folder.file("a.wav")
    try Tool.run(
      "sox", package: "sox",
      [
        "-n", "-r", "8000", "-c", "1", "-e", "gsm-full-rate", file.path, "synth", "320s", "sine",
        "400",
      ])
    let reader = try SoundFileReader(url: file)
    _ = try everything(reader)
    #expect(reader.framesRead == 320 && reader.shortfall == nil)
  }

  @Test func `the frames of an MP3 file whose tag announces 0 frames are counted`() throws {
    var data = try made("a.mp3")
    let tag = try #require(
      data.firstRange(of: Data("Xing".utf8)) ?? data.firstRange(of: Data("Info".utf8)))
    data.replaceSubrange((tag.upperBound + 4)..<(tag.upperBound + 8), with: Data(count: 4))
    let file = try folder.file("b.mp3", data)
    let reader = try SoundFileReader(url: file)
    _ = try everything(reader)
    #expect(reader.framesRead >= 44_100 && reader.shortfall == nil)
    let info = try AudioFileInfo(url: file)
    #expect(info.shortfall == nil && (info.frameCount ?? 0) >= 44_100)
  }

  @Test func `the length of concatenated MP3 files is the sum of their lengths`() throws {
    let data = try made("a.mp3")
    let file = try folder.file("b.mp3", data + data)
    let info = try AudioFileInfo(url: file)
    #expect((info.frameCount ?? 0) >= 88_200)
    #expect(info.shortfall == nil)
  }

  @Test func `an MP3 file whose first frame has another channel count is read`() throws {
    let mono = try made(
      "a.mp3", "-ac", "1", "-b:a", "64k", "-write_xing", "0", "-id3v2_version", "0")
    let stereo = try made("b.mp3", "-write_xing", "0", "-id3v2_version", "0")
    // At 64 kbit/s and 44.1 kHz, an MPEG frame has 208 bytes, or 209 with padding.
    let block = Int(144_000 * 64 / 44_100) + Int(mono[2] >> 1 & 1)
    let reader = try SoundFileReader(url: folder.file("c.mp3", mono.prefix(block) + stereo))
    _ = try everything(reader)
    #expect(reader.format.channelCount == 2)
    #expect(reader.framesRead >= 44_100)
  }
}
