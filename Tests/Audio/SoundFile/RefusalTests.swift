import AudioCore
import Foundation
import SoundFile
import TestTools
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// Files that libsndfile rejects or never finishes reading.
@Suite(.timeLimit(.minutes(5))) struct RefusalTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  private func made(_ name: String, _ options: [String]) throws -> URL {
    let source = try folder.file("source.wav", .wav16, sampleBuffer())
    let file = folder.file(name)
    try Tool.run(
      "ffmpeg", package: "ffmpeg",
      ["-v", "error", "-y", "-i", source.path] + options + [file.path])
    return file
  }

  private func reader(piping data: Data) throws -> SoundFileReader {
    let pipe = TestPipe()
    try pipe.feed(data)
    defer { close(pipe.outlet) }
    return try SoundFileReader(fileDescriptor: pipe.outlet)
  }

  @Test(arguments: [
    ("a.m4a", []), ("a.wma", []), ("a.wv", []), ("a.mka", []), ("a.aac", []),
    ("a.wav", ["-c:a", "pcm_s64le"]), ("a.oga", ["-c:a", "flac"]),
    ("a.caf", ["-c:a", "alac"]), ("a.ogg", ["-c:a", "libspeex", "-ar", "16000", "-ac", "1"]),
  ])
  func `FFmpeg reads files that libsndfile rejects, by name and from a pipe`(
    name: String, options: [String]
  ) throws {
    let file = try made(name, options)
    for reader in [try SoundFileReader(url: file), try reader(piping: Data(contentsOf: file))] {
      _ = try everything(reader)
      let duration = reader.framesRead.duration(at: reader.format.sampleRate)
      #expect(duration > .milliseconds(950) && duration < .milliseconds(1_150))
      #expect(reader.shortfall == nil)
    }
  }

  /// The test encodes with libFLAC itself, because no program offers these bit depths.
  @Test(arguments: [5, 12, 15, 20, 31, 32])
  func `FLAC with an unusual bit depth is read, by name and from a pipe`(bits: Int) throws {
    let file = folder.file("a.flac")
    try Tool.run(
      "python3", package: "python3",
      [
        "-c",
        """
        import ctypes
        flac = ctypes.CDLL("libFLAC.so.12")
        flac.FLAC__stream_encoder_new.restype = ctypes.c_void_p
        encoder = ctypes.c_void_p(flac.FLAC__stream_encoder_new())
        flac.FLAC__stream_encoder_set_streamable_subset(encoder, False)
        flac.FLAC__stream_encoder_set_channels(encoder, 1)
        flac.FLAC__stream_encoder_set_sample_rate(encoder, 8000)
        flac.FLAC__stream_encoder_set_bits_per_sample(encoder, \(bits))
        flac.FLAC__stream_encoder_init_file(encoder, b"\(file.path)", None, None)
        samples = (ctypes.c_int32 * 800)(*[i % 16 - 8 for i in range(800)])
        flac.FLAC__stream_encoder_process_interleaved(encoder, samples, 800)
        flac.FLAC__stream_encoder_finish(encoder)
        """,
      ])
    let expected = (0..<800).map { Float($0 % 16 - 8) / Float(1 << (bits - 1)) }
    #expect(try everything(file) == expected)
    #expect(try everything(reader(piping: Data(contentsOf: file))) == expected)
    #expect(try SoundFileReader(url: file).encodingDescription == "FLAC, \(bits) bit")
  }

  @Test func `a WAV file with 64-bit samples is read`() throws {
    let file = try folder.file("a.wav", extensible(bits: 64, width: 64, sample: 1 << 20))
    let read = try everything(file)
    #expect(read.count == 800)
    #expect(Set(read) == [1 / Float(1 << 43)])
  }

  @Test(arguments: [36, 40, 48])
  func `the error for a WAV file with 36- to 48-bit samples names the format and the library`(
    bits: Int
  )
    throws
  {
    let width = (bits + 7) / 8 * 8
    let file = try folder.file("a.wav", extensible(bits: bits, width: width, sample: 1 << 20))
    let reason =
      "it is a WAV file in an encoding that neither libsndfile nor FFmpeg knows; convert it"
    #expect(throws: SoundFileError.cannotRead(path: file.path, reason: reason)) {
      try SoundFileReader(url: file)
    }
  }

  /// Returns a WAV file of 800 equal samples of `width` bits, of which `bits` are valid.
  private func extensible(bits: Int, width: Int, sample: Int) -> Data {
    let number = { (value: Int, bytes: Int) in
      (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let bytes = width / 8
    let kind: [UInt8] = [1, 0, 0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
    let format =
      number(0xFFFE, 2) + number(1, 2) + number(8_000, 4) + number(8_000 * bytes, 4)
      + number(bytes, 2) + number(width, 2) + number(22, 2) + number(bits, 2) + number(4, 4) + kind
    let samples = (0..<800).flatMap { _ in number(sample << (width - bits), bytes) }
    let content =
      Array("WAVEfmt ".utf8) + number(format.count, 4) + format + Array("data".utf8)
      + number(samples.count, 4) + samples
    return Data(Array("RIFF".utf8) + number(content.count, 4) + content)
  }

  @Test(arguments: ["a.mp3", "a.gsm.wav"])
  func `MP3 and GSM audio from a pipe yields the same samples as from a file`(
    name: String
  ) throws {
    let file: URL
    if name == "a.mp3" {
      let zeros = Data(count: 3_000)
      file = try folder.file("zeros.mp3", zeros + Data(contentsOf: made(name, ["-b:a", "128k"])))
    } else {
      let source = try folder.file("source.wav", .wav16, sampleBuffer())
      file = folder.file(name)
      try Tool.sox(source.path, "-r", "8000", "-c", "1", "-e", "gsm-full-rate", file.path)
    }
    let piped = try everything(reader(piping: Data(contentsOf: file)))
    #expect(piped.count > 7_000)
    #expect(try everything(file) == piped)
  }

  @Test(
    arguments: [
      ([0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10], "a PNG picture"),
      ([0xFF, 0xD8, 0xFF, 0xE0, 0, 16, 74, 70], "a JPEG picture"),
      (Array("FORM\0\0\0\u{9}ILBMBMHD".utf8), "an IFF file without sound in it"),
    ] as [([UInt8], String)])
  func `the error for a file without audio names its format`(bytes: [UInt8], what: String) throws {
    let file = try folder.file("a.wav", Data(bytes + [UInt8](repeating: 0, count: 5_000)))
    #expect(throws: SoundFileError.silent(path: file.path, what: what)) {
      try SoundFileReader(url: file)
    }
  }

  @Test func `the error for audio in an undecodable format names the format`() throws {
    let file = try folder.file("a.ape", Data("MAC \u{96}".utf8) + Data(count: 500))
    let error = #expect(throws: SoundFileError.self) { try SoundFileReader(url: file) }
    #expect("\(error!)" == "\(file.path) is damaged after 0 frames: FFmpeg finds no audio in it")
  }

  @Test(arguments: [(2_100_000_000, 2), (0, 2), (48_000, 1_000)])
  func `an impossible rate or channel count is rejected`(rate: Int, channels: Int) throws {
    var data = try Data(contentsOf: folder.file("a.wav", .wav16, sampleBuffer()))
    let format = try #require(data.range(of: Data("fmt ".utf8))).upperBound + 4
    withUnsafeBytes(of: UInt16(channels).littleEndian) {
      data.replaceSubrange(format + 2..<format + 4, with: $0)
    }
    withUnsafeBytes(of: UInt32(rate).littleEndian) {
      data.replaceSubrange(format + 4..<format + 8, with: $0)
    }
    let file = try folder.file("b.wav", data)
    let error = #expect(throws: SoundFileError.self) { try SoundFileReader(url: file) }
    guard case .damaged(file.path, 0, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  /// Some of libsndfile's parsers do not stop at the end of a pipe.
  @Test(arguments: ["wav", "aiff", "au", "svx", "caf", "voc", "w64", "ogg", "mp3", "flac"])
  func `reading a pipe that ends within a header does not hang`(name: String) throws {
    let data = name == "svx" ? eightSVX : try Data(contentsOf: made("a.\(name)", []))
    for count in [13, 24, 40, 52, 90] {
      if let reader = try? reader(piping: data.prefix(count)) { _ = try? everything(reader) }
    }
  }

  private var eightSVX: Data {
    let header = Data([0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x1F, 0x40, 1, 0, 0, 1, 0, 0])
    return Data("FORM\0\0\u{4}\u{30}8SVXVHDR\0\0\0\u{14}".utf8) + header
      + Data("BODY\0\0\u{4}\0".utf8) + Data(count: 1_024)
  }

  @Test func `an 8SVX file is read from a pipe`() throws {
    #expect(try everything(reader(piping: eightSVX)).count == 1_024)
  }
}
