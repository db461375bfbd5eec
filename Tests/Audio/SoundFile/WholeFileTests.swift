import AudioCore
import Foundation
import SoundFile
import TestTools
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// All audio in a file is decoded, and missing audio is reported.
@Suite struct WholeFileTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  private func source() throws -> URL { try folder.file("source.wav", .wav16, sampleBuffer()) }

  /// Returns a file that is long enough for several Ogg pages.
  private func longSource() throws -> URL {
    let file = folder.file("long.wav")
    let writer = try SoundFileWriter(url: file, format: cd, encoding: .wav16)
    for _ in 0..<6 { try writer.write(sampleBuffer()) }
    try writer.close()
    return file
  }

  /// A file can grow while it is read, for example during a recording or a download.
  @Test(arguments: [SoundFileEncoding.wav16, .flac16, .oggVorbis, .mp3])
  func `a file that grows during the read is decoded up to its initial end`(
    encoding: SoundFileEncoding
  ) throws {
    let whole = try Data(contentsOf: folder.file("whole", encoding, sampleBuffer()))
    let half = whole.prefix(whole.count / 2)
    let still = try SoundFileReader(url: folder.file("still", half))
    let url = try folder.file("growing", half)
    let growing = try SoundFileReader(url: url)
    let beginning = try growing.read(atMost: 1_000).samples
    #expect(beginning.count == 2_000)
    let file = try FileHandle(forWritingTo: url)
    try file.seekToEnd()
    try file.write(contentsOf: whole.suffix(from: half.endIndex))
    try file.close()
    #expect(try beginning + everything(growing) == everything(still))
    #expect(growing.shortfall == still.shortfall)
  }

  private func made(_ name: String, _ options: String...) throws -> URL {
    let file = folder.file(name)
    try Tool.run(
      "ffmpeg", package: "ffmpeg",
      ["-v", "error", "-y", "-i", source().path] + options + [file.path])
    return file
  }

  /// Returns an MP3 file with a variable bit rate.
  ///
  /// Its frames differ much in size, because the audio alternates between noise and silence.
  private func unevenMP3(_ name: String) throws -> URL {
    let noise = AudioSignal.noise(seed: 5).buffer(.seconds(4), format: cd)
    let silence = AudioBuffer(silence: 705_600, format: cd)
    let wav = folder.file("uneven.wav")
    let writer = try SoundFileWriter(url: wav, format: cd, encoding: .wav16)
    try writer.write(noise)
    try writer.write(silence)
    try writer.close()
    let file = folder.file(name)
    try Tool.run(
      "ffmpeg", package: "ffmpeg",
      [
        "-v", "error", "-y", "-i", wav.path, "-q:a", "2", "-write_xing", "0", "-id3v2_version", "0",
        file.path,
      ])
    return file
  }

  /// Returns two readers that have read to the end, one by path and one through a pipe.
  private func readers(_ file: URL) throws -> [SoundFileReader] {
    let pipe = TestPipe()
    try pipe.feed(Data(contentsOf: file))
    defer { close(pipe.outlet) }
    let readers = try [SoundFileReader(url: file), SoundFileReader(fileDescriptor: pipe.outlet)]
    for reader in readers { _ = try everything(reader) }
    return readers
  }

  @Test func `an MP3 without a tag is decoded to its end and announces no length`() throws {
    for reader in try readers(unevenMP3("a.mp3")) {
      #expect(reader.framesRead >= 882_000)
      #expect(reader.announcedFrameCount == nil)
      #expect(reader.shortfall == nil)
    }
  }

  @Test func `seeking works in an MP3 file without a tag`() throws {
    let file = try unevenMP3("a.mp3")
    let whole = try everything(file)
    let reader = try SoundFileReader(url: file)
    try reader.seek(to: 100_000)
    let part = try reader.read(atMost: 1_000).samples
    #expect(signalToNoise(Array(whole[200_000..<202_000]), part) > 60)
  }

  @Test(arguments: ["a.ogg", "a.opus", "a.mp3", "a.flac"])
  func `concatenated files are decoded to the end of the last file`(name: String) throws {
    let options = name == "a.opus" ? ["-ar", "48000"] : []
    let one = folder.file(name)
    try Tool.run(
      "ffmpeg", package: "ffmpeg",
      ["-v", "error", "-y", "-i", source().path] + options + [one.path])
    let length = try everything(one).count / 2
    let data = try Data(contentsOf: one)
    for reader in try readers(folder.file("three-\(name)", data + data + data)) {
      #expect(reader.framesRead.rawValue >= 3 * length)
      #expect(reader.framesRead.rawValue < 3 * length + 2 * 3 * 1_152)
      #expect(reader.shortfall == nil)
    }
  }

  @Test func `seeking works across the parts of a chained Ogg file`() throws {
    let one = try made("a.ogg")
    let data = try Data(contentsOf: one)
    let reader = try SoundFileReader(url: folder.file("b.ogg", data + data))
    let whole = try everything(one)
    #expect(reader.announcedFrameCount == 88_200)
    for (frame, offset) in [(50_000, 5_900), (7_000, 7_000), (88_000, 43_900)] {
      try reader.seek(to: FrameCount(frame))
      let part = try reader.read(atMost: 100).samples
      #expect(signalToNoise(Array(whole[offset * 2..<offset * 2 + 200]), part) > 60)
    }
  }

  @Test(arguments: [true, false])
  func `a chained file is read up to a change of format, and reports a shortfall`(
    isPipe: Bool
  ) throws {
    let (one, other) = try (made("a.ogg"), made("b.ogg", "-ac", "1"))
    let file = try folder.file("c.ogg", Data(contentsOf: one) + Data(contentsOf: other))
    let pipe = TestPipe()
    try pipe.feed(Data(contentsOf: file))
    let reader =
      try isPipe
      ? SoundFileReader(fileDescriptor: pipe.outlet, name: file.path) : SoundFileReader(url: file)
    close(pipe.outlet)
    #expect(try everything(reader).count == 88_200)
    #expect("\(try #require(reader.shortfall))".contains("to 44100 Hz, mono"))
    #expect(reader.framesRead == 44_100)
  }

  @Test(arguments: [
    "wav", "aiff", "au", "caf", "w64", "flac", "ogg", "opus", "mp3", "rf64.wav", "ima.wav",
    "gsm.wav", "a.voc", "a.sph",
  ])
  func `a truncated file is read to its end and reports the shortfall`(
    name: String
  ) throws {
    let whole = folder.file("whole.\(name)")
    let options: [String: [String]] = [
      "rf64.wav": ["-rf64", "always"], "opus": ["-ar", "48000"],
    ]
    if name.hasPrefix("ima") || name.hasPrefix("gsm") || name.hasPrefix("a.") {
      let coding = [
        "ima.wav": ["-e", "ima-adpcm"], "gsm.wav": ["-e", "gsm-full-rate", "-r", "8000"],
      ]
      try Tool.run(
        "sox", package: "sox libsox-fmt-all",
        [longSource().path, "-c", "1"] + (coding[name] ?? []) + [whole.path])
    } else {
      try Tool.run(
        "ffmpeg", package: "ffmpeg",
        ["-v", "error", "-y", "-i", longSource().path] + (options[name] ?? []) + [whole.path])
    }
    let complete = try SoundFileReader(url: whole)
    _ = try everything(complete)
    #expect(complete.shortfall == nil)
    let data = try Data(contentsOf: whole)
    let cut = try SoundFileReader(
      url: folder.file("cut.\(name)", data.prefix(data.count * 6 / 10 + 1)))
    _ = try everything(cut)
    let ratio = Double(cut.framesRead.rawValue) / Double(complete.framesRead.rawValue)
    #expect(ratio > 0.3 && ratio < 0.75, "\(ratio)")
    let shortfall = try #require(cut.shortfall)
    #expect(shortfall.decoded == cut.framesRead)
    if let announced = shortfall.announced {
      #expect(abs(announced.rawValue - complete.framesRead.rawValue) < 1_200)
    } else {
      #expect("\(shortfall)".hasPrefix("the file breaks off after "))
    }
  }

  @Test(arguments: ["wav", "aiff", "au", "ogg", "opus", "mp3", "flac"])
  func `a pipe that ends before its announced end reports the shortfall`(name: String) throws {
    let whole = folder.file("whole.\(name)")
    let options = name == "opus" ? ["-ar", "48000"] : []
    try Tool.run(
      "ffmpeg", package: "ffmpeg",
      ["-v", "error", "-y", "-i", longSource().path] + options + [whole.path])
    let data = try Data(contentsOf: whole)
    let pipe = TestPipe()
    try pipe.feed(data.prefix(data.count * 6 / 10 + 1))
    let reader = try SoundFileReader(fileDescriptor: pipe.outlet)
    close(pipe.outlet)
    _ = try everything(reader)
    #expect(try #require(reader.shortfall).decoded == reader.framesRead)
    #expect(reader.framesRead > 60_000 && reader.framesRead < 240_000)
  }

  /// A killed recorder leaves a header that announces a length of 0.
  @Test func `FLAC without an announced length reports a truncated frame`() throws {
    var data = try Data(contentsOf: made("a.flac"))
    // The length in the header has 36 bits; the first four share a byte.
    data[21] &= 0xF0
    data.replaceSubrange(22..<26, with: Data(count: 4))
    for reader in try readers(folder.file("whole.flac", data)) {
      #expect(reader.announcedFrameCount == nil)
      #expect(reader.framesRead == 44_100)
      #expect(reader.shortfall == nil)
    }
    for reader in try readers(folder.file("cut.flac", data.prefix(data.count / 2))) {
      #expect(reader.framesRead > 10_000 && reader.framesRead < 30_000)
      #expect(try #require(reader.shortfall).announced == nil)
    }
  }

  @Test func `FLAC audio that was appended in another format is a shortfall`() throws {
    let data = try Data(contentsOf: made("a.flac")) + Data(contentsOf: made("b.flac", "-ac", "1"))
    let reader = try SoundFileReader(url: folder.file("c.flac", data))
    #expect(try everything(reader) == sampleBuffer().samples)
    #expect("\(try #require(reader.shortfall))".contains("to 44100 Hz, mono, 16 bit"))
  }

  @Test func `a tag after the audio of a FLAC file is not reported as damage`() throws {
    let data = try Data(contentsOf: made("a.flac"))
    let tag = Data("TAG".utf8) + Data(repeating: 32, count: 125)
    let reader = try SoundFileReader(url: folder.file("tagged.flac", data + tag))
    #expect(try everything(reader) == sampleBuffer().samples)
    #expect(reader.shortfall == nil)
  }

  @Test func `a chained Ogg file with a damaged second part throws after the first part`() throws {
    let good = try Data(contentsOf: made("a.ogg"))
    var bad = good
    bad[30] ^= 0xFF
    let reader = try SoundFileReader(url: folder.file("b.ogg", good + bad))
    #expect(throws: SoundFileError.self) { try everything(reader) }
    #expect(reader.framesRead == 44_100)
  }

  @Test func `a stray byte between the parts of a chained Ogg file does not hide the second part`()
    throws
  {
    let one = try Data(contentsOf: made("a.ogg"))
    let reader = try SoundFileReader(url: folder.file("b.ogg", one + Data([0]) + one))
    #expect(try everything(reader).count == 2 * 88_200)
    #expect(reader.shortfall == nil)
  }

  @Test func `MP3 of another rate after the announced end is reported as a shortfall`() throws {
    let data = try Data(contentsOf: made("a.mp3")) + Data(contentsOf: made("b.mp3", "-ar", "22050"))
    let reader = try SoundFileReader(url: folder.file("c.mp3", data))
    let samples = try everything(reader)
    let whole = try everything(folder.file("a.mp3"))
    #expect(samples.count >= whole.count)
    #expect(signalToNoise(whole, Array(samples.prefix(whole.count))) > 60)
    #expect("\(try #require(reader.shortfall))".contains("the format changes from 44100 Hz"))
  }

  @Test func `an MP3 without a tag reports a truncated frame`() throws {
    let data = try Data(contentsOf: unevenMP3("a.mp3"))
    for reader in try readers(folder.file("b.mp3", data.prefix(data.count / 4 + 1))) {
      #expect(try #require(reader.shortfall).announced == nil)
    }
  }

  @Test(arguments: ["a.m4a", "a.wv", "a.aac", "a.mka"])
  func `a truncated file that FFmpeg decodes reports a shortfall`(
    name: String
  ) throws {
    let file = folder.file(name)
    try Tool.ffmpeg("-i", longSource().path, "-movflags", "faststart", file.path)
    let data = try Data(contentsOf: file)
    let reader = try SoundFileReader(
      url: folder.file("cut-\(name)", data.prefix(data.count * 6 / 10 + 1)))
    _ = try everything(reader)
    #expect(reader.framesRead > 60_000 && reader.framesRead < 240_000)
    #expect(try #require(reader.shortfall).decoded == reader.framesRead)
  }
}
