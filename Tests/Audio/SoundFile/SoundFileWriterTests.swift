import AudioCore
import Foundation
import SoundFile
import TestTools
import Testing

@Suite struct SoundFileWriterTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test(arguments: SoundFileEncoding.allCases.filter { $0.samples != nil })
  func `SoX and FFmpeg read exactly the written samples from a lossless file`(
    encoding: SoundFileEncoding
  ) throws {
    let buffer = sampleBuffer()
    let name = "a.\(encoding.container.pathExtensions[0])"
    let file = try folder.file(name, encoding, buffer)
    // SoX amplifies float samples in CAF to full scale, even in FFmpeg's files.
    if encoding != (try SoundFileEncoding(.caf, samples: .float)) {
      #expect(try Tool.sox(file.path, "-t", "f32", "-").floats == buffer.samples)
    }
    #expect(try Tool.ffmpeg("-i", file.path, "-f", "f32le", "-").floats == buffer.samples)
  }

  @Test(arguments: [SoundFileEncoding.oggVorbis, .opus, .mp3])
  func `FFmpeg reads approximately the written samples from a lossy file`(
    encoding: SoundFileEncoding
  ) throws {
    let format = AudioFormat(sampleRate: 48_000, channelCount: 2)
    let buffer = AudioSignal.sine(440).buffer(.seconds(1), format: format)
    let file = try folder.file("a.ogg", encoding, buffer)
    let read = try Tool.ffmpeg("-i", file.path, "-f", "f32le", "-").floats
    // FFmpeg drops the last incomplete block of a Vorbis file, so up to 256 samples may be missing.
    #expect(abs(read.count - buffer.samples.count) <= (encoding == .oggVorbis ? 256 : 0))
    #expect(signalToNoise(buffer.samples, read) > 20)
  }

  /// The samples are a quarter of a step, so without dither they would all become 0.
  ///
  /// With dither, every fourth sample becomes a whole step.
  @Test(arguments: SoundFileEncoding.allCases.filter { $0.samples == .int16 })
  func `dither preserves the mean of samples smaller than a 16-bit step`(
    encoding: SoundFileEncoding
  ) throws {
    let format = AudioFormat(sampleRate: 48_000, channelCount: 1)
    let sound = AudioSignal { _, _ in 0.25 / 32_768 }.buffer(.seconds(1), format: format)
    let read = try everything(try folder.file("a", encoding, sound)).map { $0 * 32_768 }
    #expect(Set(read).isSubset(of: [-1, 0, 1]))
    #expect(abs(read.reduce(0, +) / 48_000 - 0.25) < 0.02)
  }

  @Test(arguments: SoundFileEncoding.allCases)
  func `reading a file returns the written length and format`(encoding: SoundFileEncoding) throws {
    let format = AudioFormat(sampleRate: 16_000, channelCount: 1)
    let buffer = AudioSignal.sine(300).buffer(12_345, format: format)
    let reader = try SoundFileReader(url: folder.file("a", encoding, buffer))
    let read = try everything(reader)
    #expect(reader.format == format)
    #expect(read.count == 12_345)
    #expect(reader.shortfall == nil)
    #expect(signalToNoise(buffer.samples, read) > 20)
  }

  @Test(arguments: [SoundFileEncoding.wav16, .flac16])
  func `every 16-bit value survives reading and writing`(encoding: SoundFileEncoding) throws {
    let format = AudioFormat(sampleRate: 8_000, channelCount: 1)
    let values = (Int(Int16.min)...Int(Int16.max)).map { Float($0) / 32_768 }
    let first = try folder.file("a", encoding, AudioBuffer(format: format, samples: values))
    #expect(try everything(first) == values)
    let raw = try Tool.sox(
      "-t", encoding == .wav16 ? "wav" : "flac", first.path, "-t", "s16", "-")
    let whole = raw.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
    #expect(whole == Array(Int16.min...Int16.max))
  }

  @Test(arguments: SoundFileEncoding.allCases.filter { ![nil, .float].contains($0.samples) })
  func `samples beyond full scale are clipped instead of wrapped`(encoding: SoundFileEncoding)
    throws
  {
    let format = AudioFormat(sampleRate: 8_000, channelCount: 1)
    let samples: [Float] = [1, 1.5, 1e9, .infinity, -1, -1.5, -1e9, -.infinity, .nan]
    let read = try everything(
      folder.file("a", encoding, AudioBuffer(format: format, samples: samples)))
    #expect(read.prefix(4).allSatisfy { $0 > 0.9999 && $0 <= 1 })
    #expect(read[4..<8].allSatisfy { $0 == -1 })
    #expect(read[8] == 0)
  }

  @Test func `a writer that is released completes its file`() throws {
    let buffer = sampleBuffer()
    do {
      let writer = try SoundFileWriter(
        url: folder.file("a.flac"), format: cd, encoding: .flac16)
      try writer.write(buffer)
    }
    #expect(try everything(folder.file("a.flac")) == buffer.samples)
  }

  @Test func `after close, a write is an error, and closing again has no effect`() throws {
    let file = folder.file("a.wav")
    let writer = try SoundFileWriter(url: file, format: cd, encoding: .wav16)
    try writer.write(sampleBuffer())
    try writer.close()
    try writer.close()
    #expect(writer.framesWritten == 44_100)
    #expect(try everything(file) == sampleBuffer().samples)
    #expect(throws: SoundFileError.closed(path: file.path)) { try writer.write(sampleBuffer()) }
  }

  @Test(arguments: SoundFileEncoding.allCases)
  func `a file without frames can be written and read`(encoding: SoundFileEncoding) throws {
    let format = AudioFormat(sampleRate: 48_000, channelCount: 1)
    let url = try folder.file("a", encoding, AudioBuffer(format: format, samples: []))
    let reader = try SoundFileReader(url: url)
    // An Opus or MP3 file that is written without frames contains one frame of silence.
    let count = [.opus, .mp3].contains(encoding.container) ? 1 : 0
    #expect(try everything(reader).count == count)
    #expect(reader.shortfall == nil)
  }
}
