import AudioCore
import Foundation
import TestTools
import Testing

@testable import SoundFile

/// Files that need FFmpeg.
@Suite struct FFmpegTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test(arguments: [
    ("HTTPS://a.example/B.mp3", "https://a.example/B.mp3"),
    ("http://a.example", "http://a.example"),
    ("file:///a.mp3", nil),
  ])
  func `the scheme of an address is lowercase, as FFmpeg needs it`(
    address: String, passed: String?
  ) {
    #expect(URL(string: address)?.webAddress == passed)
  }

  @Test func `a file is sought in to the frame, forward and backward`() throws {
    let url = folder.file("a.m4a")
    _ = try Tool.run(
      "ffmpeg", package: "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "sine=440:duration=3:sample_rate=44100", "-c:a", "alac",
        url.path,
      ])
    let whole = try samples(from: 0, of: SoundFileReader(url: url))
    #expect(whole.count == 3 * 44_100)
    let reader = try SoundFileReader(url: url)
    for frame in [100_001, 3, 44_100, 0] {
      let found = try samples(from: frame, of: reader)
      #expect(found == Array(whole[frame...]), "from frame \(frame)")
    }
  }

  @Test(arguments: ["a.m4a", "a.wv", "a.tta", "a.oga"])
  func `the tags of a file that FFmpeg decodes are read`(name: String) throws {
    let url = folder.file(name)
    try Tool.ffmpeg(
      "-f", "lavfi", "-i", "sine=440:duration=1", "-metadata", "title=Größe", "-metadata",
      "artist=Nobody", url.path)
    let tags = try SoundFileReader(url: url).tags
    #expect(tags[.title] == "Größe" && tags[.artist] == "Nobody")
  }

  @Test(arguments: ["wavpack", "tta", "flac"], [16, 24])
  func `the bits of a lossless file that FFmpeg decodes are known`(
    codec: String, bits: Int
  ) throws {
    let url = folder.file("a")
    let muxer = codec == "wavpack" ? "wv" : codec == "tta" ? "tta" : "ogg"
    let sampleFormat = (bits == 16 ? "s16" : "s32") + (codec == "wavpack" ? "p" : "")
    try Tool.ffmpeg(
      "-f", "lavfi", "-i", "sine=440:duration=1", "-c:a", codec, "-sample_fmt", sampleFormat, "-f",
      muxer, url.path)
    // FFmpeg's WavPack encoder has 16 and 32 bits.
    let isWide = codec == "wavpack" && bits == 24
    let samples: SoundFileEncoding.SampleFormat =
      if isWide { .int32 } else if bits == 24 { .int24 } else { .int16 }
    let reader = try SoundFileReader(url: url)
    #expect(reader.bitsPerSample == (isWide ? 32 : bits))
    #expect(reader.samples == samples)
  }

  @Test func `the bits of Apple Lossless in M4A are unknown`() throws {
    let url = folder.file("a.m4a")
    try Tool.ffmpeg("-f", "lavfi", "-i", "sine=440:duration=1", "-c:a", "alac", url.path)
    let reader = try SoundFileReader(url: url)
    #expect(reader.bitsPerSample == nil && reader.samples == nil)
    #expect(try AudioFileInfo(url: url).container == "an MPEG-4 file (M4A or MP4)")
  }

  @Test func `the header of WavPack has the bits of lossless audio`() {
    // Three bytes per sample; four, of which 8 bits are unused; float; lossy; one-bit audio.
    #expect(samples("wvpk", padding(20), [0x02, 0, 0, 0])?.bits == 24)
    #expect(samples("wvpk", padding(20), [0x03, 0, 0x01, 0])?.bits == 24)
    #expect(samples("wvpk", padding(20), [0x83, 0, 0, 0])?.format == .float)
    #expect(samples("wvpk", padding(20), [0x0A, 0, 0, 0]) == nil)
    #expect(samples("wvpk", padding(20), [0x00, 0, 0, 0x80]) == nil)
    #expect(samples("wvpk", padding(20)) == nil)
  }

  @Test func `the header of Monkey's Audio has the bits in each version`() {
    let (new, old): ([UInt8], [UInt8]) = ([0x96, 0x0F, 0, 0, 52, 0, 0, 0], [0x6E, 0x0F, 0, 0])
    #expect(samples("MAC ", new, padding(56), [24, 0])?.format == .int24)
    #expect(samples("MAC ", new, padding(56)) == nil)
    #expect(samples("MAC ", old, [0, 0])?.bits == 16)
    #expect(samples("MAC ", old, [8, 0])?.bits == 24)
  }

  private func samples(_ mark: String, _ parts: [UInt8]...) -> LosslessSamples? {
    LosslessSamples(head: Array(mark.utf8) + Array(parts.joined()))
  }

  private func padding(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }

  private func samples(from frame: Int, of reader: SoundFileReader) throws -> [Float] {
    if frame != reader.position.rawValue { try reader.seek(to: FrameCount(frame)) }
    var samples: [Float] = []
    while case let buffer = try reader.read(atMost: 8_192), !buffer.isEmpty {
      samples += buffer.samples
    }
    return samples
  }
}
