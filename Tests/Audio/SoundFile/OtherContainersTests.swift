import AudioCore
import Foundation
import SoundFile
import TestTools
import Testing

/// Files that only FFmpeg identifies.
@Suite struct OtherContainersTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test(arguments: [
    ("a.ts", ["-c:a", "mp2"]), ("a.mpg", ["-c:a", "mp2", "-f", "mpeg"]),
    ("a.m2ts", ["-c:a", "mp2"]),
    ("a.dts", ["-c:a", "dca", "-strict", "-2"]), ("a.latm", ["-c:a", "aac", "-f", "latm"]),
    ("a.nut", []), ("a.rm", ["-c:a", "ac3"]), ("a.ast", []),
    ("a.thd", ["-c:a", "truehd", "-strict", "-2"]), ("a.wtv", ["-c:a", "mp2"]),
  ])
  func `formats that only FFmpeg can read are read with the right length`(
    name: String, options: [String]
  ) throws {
    let file = folder.file(name)
    let source = ["-f", "lavfi", "-i", "sine=440:duration=2:sample_rate=48000", "-ac", "2"]
    try Tool.run(
      "ffmpeg", package: "ffmpeg", ["-v", "error", "-y"] + source + options + [file.path])
    let reader = try SoundFileReader(url: file)
    #expect(reader.format.sampleRate == 48_000 && reader.format.channelCount == 2)
    _ = try everything(reader)
    #expect(abs(reader.framesRead.rawValue - 96_000) < 5_000)
    #expect(reader.shortfall == nil)
  }

  @Test(arguments: ["bmp", "tiff", "ppm", "srt", "txt", "webp", "xbm"])
  func `text and pictures are rejected`(name: String) throws {
    let file = folder.file("a.\(name)")
    switch name {
    case "srt": try Data("1\n00:00:00,000 --> 00:00:01,000\nHello\n".utf8).write(to: file)
    case "txt": try Data("A letter to a friend.\n".utf8).write(to: file)
    case "webp": try Data("RIFF\u{4}\0\0\0WEBPVP8 ".utf8).write(to: file)
    default:
      try Tool.ffmpeg("-f", "lavfi", "-i", "testsrc=duration=1:rate=1", "-frames:v", "1", file.path)
    }
    let error = #expect(throws: SoundFileError.self) { try SoundFileReader(url: file) }
    switch error {
    case .notAudio, .silent: break
    default: Issue.record("\(String(describing: error))")
    }
  }
}
