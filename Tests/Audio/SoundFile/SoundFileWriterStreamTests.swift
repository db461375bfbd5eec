import AudioCore
import Foundation
import TestTools
import Testing

@testable import SoundFile

#if canImport(Glibc)
import Glibc
#endif

@Suite struct SoundFileWriterStreamTests {
  private let folder: TestFolder
  private let metadata = AudioMetadata(tags: [.title: ["東京"], .artist: ["Björk", "Ann"]])

  init() throws {
    folder = try TestFolder()
  }

  @Test(arguments: [SoundFileEncoding.Container.wav, .au, .flac], [16, 24])
  func `a lossless stream written to an append-only descriptor has every sample`(
    container: SoundFileEncoding.Container, bits: Int
  ) throws {
    let encoding = try SoundFileEncoding(container, samples: bits == 16 ? .int16 : .int24)
    let url = try stream(encoding, sampleBuffer())
    #expect(try everything(url) == sampleBuffer().samples)
    let ffmpeg = try Tool.ffmpeg("-i", url.path, "-f", "f32le", "-").floats
    #expect(ffmpeg == sampleBuffer().samples)
  }

  @Test func `SoundFileWriter streams the same WAV as StreamingWAVWriter`() throws {
    let sound = AudioBuffer(
      format: AudioFormat(sampleRate: 8_000, channelCount: 1), samples: [0.5, -0.5, 0.25])
    let url = try stream(.wav24, sound)
    let other = try folder.file("other.wav", Data())
    let descriptor = open(other.path, O_WRONLY)
    try StreamingWAVWriter(fileDescriptor: descriptor, format: sound.format, samples: .int24)
      .write(sound)
    close(descriptor)
    #expect(try Data(contentsOf: url) == Data(contentsOf: other))
  }

  @Test(arguments: [SoundFileEncoding.flac16, .oggVorbis, .mp3, .opus])
  func `streams of FLAC, Ogg Vorbis, MP3, and Opus contain the tags`(
    encoding: SoundFileEncoding
  ) throws {
    let sound = AudioSignal.sine(440).buffer(
      .seconds(1), format: AudioFormat(sampleRate: 48_000, channelCount: 2))
    let url = try stream(encoding, sound)
    #expect(try AudioFileInfo(url: url).metadata.tags == metadata.tags)
    let tag = try Tool.run(
      "ffprobe", package: "ffmpeg",
      [
        "-v", "error", "-show_entries", "format_tags=title:stream_tags=title", "-of",
        "csv=p=0", url.path,
      ])
    #expect(String(decoding: tag, as: UTF8.self).contains("東京"))
  }

  @Test
  func `an MP3 stream equals an MP3 file without its first frame, which contains the length`()
    throws
  {
    let whole = folder.file("whole.mp3")
    let writer = try SoundFileWriter(url: whole, format: cd, encoding: .mp3, metadata: metadata)
    try writer.write(sampleBuffer())
    try writer.close()
    let file = try Data(contentsOf: whole)
    let streamed = try Data(contentsOf: stream(.mp3, sampleBuffer()))
    let start = metadata.id3Tag(at: 44_100).count
    let bits = file[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
    let first = try #require(MPEGFrameHeader(bits)).byteCount
    let isEqual = streamed == file.prefix(start) + file.dropFirst(start + first)
    #expect(isEqual)
  }

  @Test(arguments: [SoundFileEncoding.Container.aiff, .caf])
  func `a container whose length precedes its audio is refused before a byte is written`(
    container: SoundFileEncoding.Container
  ) throws {
    let url = try folder.file("a", Data())
    let descriptor = open(url.path, O_WRONLY)
    defer { close(descriptor) }
    #expect(throws: SoundFileError.self) {
      try SoundFileWriter(
        fileDescriptor: descriptor, format: cd, encoding: SoundFileEncoding(container))
    }
    #expect(try Data(contentsOf: url).isEmpty)
  }

  @Test(arguments: [SoundFileEncoding.flac16, .oggVorbis, .mp3, SoundFileEncoding(.au)])
  func `writing a stream whose reader is gone reports a broken pipe`(
    encoding: SoundFileEncoding
  ) throws {
    let pipe = TestPipe()
    close(pipe.outlet)
    let error = #expect(throws: SoundFileError.self) {
      let writer = try SoundFileWriter(
        fileDescriptor: pipe.inlet, name: "out", format: cd, encoding: encoding)
      try writer.write(sampleBuffer())
      try writer.close()
    }
    #expect(error == .brokenPipe(path: "out"))
    close(pipe.inlet)
  }

  @Test func `a descriptor that is not open cannot be written`() {
    let error = #expect(throws: SoundFileError.self) {
      try SoundFileWriter(fileDescriptor: -1, name: "out", format: cd, encoding: .flac16)
    }
    guard case .cannotWrite(path: "out", _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `closing a writer does not release the caller's lock on the descriptor`() throws {
    let url = try folder.file("locked.wav", Data())
    let (descriptor, other) = (open(url.path, O_WRONLY), open(url.path, O_WRONLY))
    #expect(flock(descriptor, LOCK_EX) == 0)
    try SoundFileWriter(fileDescriptor: descriptor, format: cd, encoding: .wav16).close()
    #expect(flock(other, LOCK_EX | LOCK_NB) == -1)
    close(descriptor)
    close(other)
  }

  /// Writes a sound to an append-only descriptor, which behaves like a pipe.
  private func stream(_ encoding: SoundFileEncoding, _ sound: AudioBuffer) throws -> URL {
    let url = try folder.file("stream.\(encoding.container.pathExtensions[0])", Data())
    let descriptor = open(url.path, O_WRONLY | O_APPEND)
    defer { close(descriptor) }
    let writer = try SoundFileWriter(
      fileDescriptor: descriptor, format: sound.format, encoding: encoding, metadata: metadata)
    try writer.write(sound)
    try writer.close()
    #expect(writer.framesWritten == sound.frameCount)
    return url
  }
}
