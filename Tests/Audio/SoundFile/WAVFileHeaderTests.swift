import AudioCore
import Foundation
import TestTools
import Testing

@testable import SoundFile

@Suite struct WAVFileHeaderTests {
  @Test(arguments: [1, 2, 3, 8], SoundFileEncoding.SampleFormat.allCases)
  func `the WAV header describes the file exactly`(
    channels: Int, samples: SoundFileEncoding.SampleFormat
  ) throws {
    let folder = try TestFolder()
    let format = AudioFormat(sampleRate: 11_025, channelCount: channels)
    let encoding = try SoundFileEncoding(.wav, samples: samples)
    // An odd number of frames with an odd frame size needs a padding byte.
    let noise = AudioSignal.noise(seed: 3).buffer(101, format: format)
    let bytes = try Data(contentsOf: folder.file("a.wav", encoding, noise))
    let chunks = try Chunks(bytes)
    #expect(chunks.kind == "RIFF")
    #expect(chunks.size == bytes.count - 8)
    #expect(chunks.sizes["data"] == 101 * channels * samples.byteCount)
    #expect(chunks.end == bytes.count)
    #expect(bytes.count.isMultiple(of: 2))
    #expect(chunks.names == ["JUNK", "fmt "] + (samples == .float ? ["fact"] : []) + ["data"])
  }

  @Test func `a file too long for the 32-bit sizes of WAV becomes RF64 with its full length`() {
    let header = WAVFileHeader(format: cd, samples: .int16)
    let most = 0xFFFF_FFFF - (header.byteCount - 8)
    let wav = header.bytes(dataSize: most / 4 * 4)
    #expect(wav.starts(with: "RIFF".utf8))
    let size = most / 4 * 4 + 4
    let large = header.bytes(dataSize: size)
    #expect(large.starts(with: "RF64".utf8))
    #expect(large.count == wav.count)
    #expect(Array(large[4..<20]) == [255, 255, 255, 255] + Array("WAVEds64".utf8) + [28, 0, 0, 0])
    #expect(large.number(at: 20) == size + header.byteCount - 8)
    #expect(large.number(at: 28) == size)
    #expect(large.number(at: 36) == size / 4)
    #expect(large.suffix(8) == Array("data".utf8) + [255, 255, 255, 255])
  }

  @Test func `a growing file becomes RF64 and keeps every sample`() throws {
    let folder = try TestFolder()
    let file = folder.file("a.wav")
    let writer = try SoundFileWriter(
      url: file, format: cd, encoding: .wav16, largestWAV: 1_000_000)
    var expected: [Float] = []
    for _ in 0..<8 {
      try writer.write(sampleBuffer())
      expected += sampleBuffer().samples
      let isLarge = writer.framesWritten.rawValue * 4 > 1_000_000
      let kind = try Data(contentsOf: file).prefix(4)
      #expect(kind == Data((isLarge ? "RF64" : "RIFF").utf8))
    }
    try writer.close()
    #expect(try everything(file) == expected)
    #expect(try Tool.sox(file.path, "-t", "f32", "-").floats == expected)
    #expect(try Tool.ffmpeg("-i", file.path, "-f", "f32le", "-").floats == expected)
  }

  @Test func `libsndfile reads the length of 5 GiB of audio from the header`() throws {
    let folder = try TestFolder()
    let size = 5 << 30
    let bytes = WAVFileHeader(format: cd, samples: .int16).bytes(dataSize: size)
    let file = try folder.file("a.wav", Data(bytes))
    #expect(truncate(file.path, bytes.count + size) == 0)
    #expect(try SoundFileReader(url: file).announcedFrameCount == FrameCount(size / 4))
  }
}

/// The chunks of a WAV file, in order.
private struct Chunks {
  let kind: String
  let size: Int
  private(set) var names: [String] = []
  private(set) var sizes: [String: Int] = [:]
  private(set) var end = 12

  init(_ data: Data) throws {
    let bytes = [UInt8](data)
    kind = String(decoding: bytes[..<4], as: UTF8.self)
    size = bytes.number(at: 4, count: 4)
    while end + 8 <= bytes.count {
      let name = String(decoding: bytes[end..<(end + 4)], as: UTF8.self)
      let length = bytes.number(at: end + 4, count: 4)
      names.append(name)
      sizes[name] = length
      end += 8 + length + length % 2
    }
  }
}

extension [UInt8] {
  fileprivate func number(at offset: Int, count: Int = 8) -> Int {
    self[offset..<(offset + count)].reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}
