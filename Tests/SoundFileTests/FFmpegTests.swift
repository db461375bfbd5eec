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

  private func samples(from frame: Int, of reader: SoundFileReader) throws -> [Float] {
    if frame != reader.position.rawValue { try reader.seek(to: FrameCount(frame)) }
    var samples: [Float] = []
    while case let buffer = try reader.read(atMost: 8_192), !buffer.isEmpty {
      samples += buffer.samples
    }
    return samples
  }
}
