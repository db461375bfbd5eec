import AudioCore
import Foundation
import SoundFile
import TestTools
import Testing

/// The length of the audio that FFmpeg decodes is compared with the length that the file announces.
@Suite struct FFmpegLengthTests {
  private let folder: TestFolder
  private let source: URL

  init() throws {
    folder = try TestFolder()
    let noise = AudioSignal.noise(seed: 3, amplitude: 0.3).buffer(.seconds(4), format: cd)
    source = try folder.file("source.wav", .wav16, noise)
  }

  private func made(_ name: String, _ options: String...) throws -> Data {
    let file = folder.file(name)
    let words = ["-v", "error", "-y", "-i", source.path] + options + [file.path]
    try Tool.run("ffmpeg", package: "ffmpeg", words)
    return try Data(contentsOf: file)
  }

  /// Returns an M4A file in which the description of the whole audio precedes the audio.
  private func m4a() throws -> Data { try made("a.m4a", "-movflags", "faststart") }

  @Test func `an M4A file with only half of its audio reports a shortfall`() throws {
    let data = try m4a()
    // The description, which precedes the audio, still announces the whole audio.
    let start = try #require(data.firstRange(of: Data("mdat".utf8))).upperBound
    let cut = data.prefix(start + (data.count - start) / 2)
    let reader = try SoundFileReader(url: folder.file("cut.m4a", cut))
    _ = try everything(reader)
    let shortfall = try #require(reader.shortfall)
    #expect(shortfall.decoded == reader.framesRead)
    #expect(abs((shortfall.announced ?? 0).rawValue - 4 * 44_100) < 2_048)
  }

  @Test(arguments: ["a.avi", "a.mka", "a.wv", "a.tta"])
  func `a truncated file reports a shortfall in every format, whatever FFmpeg prints`(name: String)
    throws
  {
    let data = try made(name)
    let reader = try SoundFileReader(
      url: folder.file("cut-\(name)", data.prefix(data.count * 8 / 10)))
    _ = try everything(reader)
    #expect(reader.shortfall != nil)
    #expect(reader.framesRead < 170_000)
  }

  /// ffprobe reports no length of the audio in these files, and FFmpeg reports no damage if they
  /// end between two packets.
  @Test(arguments: ["flv", "wmv"])
  func `a video truncated anywhere reports a shortfall, and a complete video does not`(
    ending: String
  ) throws {
    let data = try made(
      "a.\(ending)", "-f", "lavfi", "-i", "testsrc=duration=4:size=64x48:rate=25")
    let complete = try SoundFileReader(url: folder.file("a.\(ending)"))
    _ = try everything(complete)
    #expect(complete.framesRead > 170_000 && complete.shortfall == nil)
    for percent in [50, 60, 70, 80, 90] {
      let reader = try SoundFileReader(
        url: folder.file("\(percent).\(ending)", data.prefix(data.count * percent / 100)))
      _ = try everything(reader)
      #expect(reader.shortfall != nil, "\(percent) %")
    }
  }

  @Test(arguments: [
    "a.m4a", "a.mka", "a.wma", "a.avi", "a.ac3", "a.eac3", "a.aac", "a.wv", "a.tta", "a.spx",
  ])
  func `a complete file has no shortfall`(name: String) throws {
    if name == "a.spx" { _ = try made(name, "-ar", "16000") } else { _ = try made(name) }
    let reader = try SoundFileReader(url: folder.file(name))
    _ = try everything(reader)
    #expect(reader.framesRead.duration(at: reader.format.sampleRate) > .milliseconds(3_900))
    #expect(reader.shortfall == nil)
  }

  @Test func `a file from which FFmpeg decodes nothing is an error`() throws {
    let data = try m4a()
    let start = try #require(data.firstRange(of: Data("mdat".utf8))).upperBound
    let file = try folder.file("cut.m4a", data.prefix(start))
    #expect(throws: SoundFileError.self) { try everything(file) }
  }

  @Test func `a length that FFmpeg only estimates from the bit rate counts as unknown`() throws {
    _ = try made("a.aac")
    #expect(try AudioFileInfo(url: folder.file("a.aac")).duration == nil)
    _ = try m4a()
    let known = try AudioFileInfo(url: folder.file("a.m4a")).duration
    #expect(abs(try #require(known).inSeconds - 4) < 0.1)
  }

  /// The length of an AVR, MAT, or WVE file is in its header.
  @Test(arguments: ["avr", "mat4", "mat5", "wve"])
  func `truncated files of rare formats report a shortfall`(name: String) throws {
    let whole = folder.file("a.\(name)")
    let rate = name == "wve" ? "8000" : "44100"
    let kind = name == "wve" ? ["-t", "wve"] : ["-t", name]
    let words = [source.path, "-r", rate, "-c", "1"] + kind + [whole.path]
    try Tool.run("sox", package: "sox libsox-fmt-all", words)
    let complete = try SoundFileReader(url: whole)
    _ = try everything(complete)
    #expect(complete.shortfall == nil)
    let data = try Data(contentsOf: whole)
    let reader = try SoundFileReader(url: folder.file("b.\(name)", data.prefix(data.count / 2)))
    _ = try everything(reader)
    let shortfall = try #require(reader.shortfall)
    #expect(shortfall.announced == complete.framesRead)
    #expect(shortfall.decoded == reader.framesRead && reader.framesRead < complete.framesRead)
  }
}
