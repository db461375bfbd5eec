import AudioCore
import AudioThreads
import FilePaths
import Foundation
import TestTools
import Testing

@testable import SoundFile

/// Files that pretend to be of one kind, but that FFmpeg would read as a playlist of other files.
@Suite struct HostileFileTests {
  private let folder: TestFolder
  private let secret: URL

  init() throws {
    folder = try TestFolder()
    secret = try folder.file("secret.wav", .wav16, sampleBuffer())
  }

  private var lists: [String: String] {
    [
      "concat": "ffconcat version 1.0\nfile '\(secret.path)'\n",
      "hls": "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n\(secret.path)\n#EXT-X-ENDLIST\n",
      "dash": """
      <?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static"
      mediaPresentationDuration="PT1S"><Period><AdaptationSet mimeType="audio/wav"><Representation
      id="1" bandwidth="1000"><BaseURL>\(secret.path)</BaseURL></Representation></AdaptationSet>
      </Period></MPD>
      """,
    ]
  }

  /// Returns an empty ID3 tag that announces a footer, with `mark` in place of the footer.
  private func tag(hiding mark: String) -> Data {
    let footer = Array(mark.utf8) + [UInt8](repeating: 0, count: 10 - mark.utf8.count)
    return Data(Array("ID3".utf8) + [4, 0, 0x10, 0, 0, 0, 0] + footer)
  }

  @Test(
    arguments: ["concat", "hls", "dash"],
    ["", "MAC ", "wvpk", "TTA1", "#!AMR", "FLV\u{1}", "DSD ", "MPCK"])
  func `a file never makes FFmpeg open another file`(list: String, mark: String) throws {
    let text = Data(try #require(lists[list]).utf8)
    let file = try folder.file("upload.ape", mark.isEmpty ? text : tag(hiding: mark) + text)
    // The file is rejected before FFmpeg is started.
    #expect(throws: SoundFileError.notAudio(path: file.path)) { try everything(file) }
    #expect(throws: SoundFileError.notAudio(path: file.path)) { try AudioFileInfo(url: file) }
  }

  @Test(arguments: ["concat", "hls", "dash"], ["MAC ", "wvpk", "TTA1", "#!AMR", "MPCK"])
  func `a playlist that begins with the signature of an audio format is rejected`(
    list: String, mark: String
  ) throws {
    let file = try folder.file(
      "upload.ape", Data(mark.utf8) + Data([0]) + Data(try #require(lists[list]).utf8))
    #expect(throws: SoundFileError.self) { try everything(file) }
  }

  @Test func `no permitted demuxer lets FFmpeg open other files`() throws {
    let other = folder.file("secret.mp3")
    try Tool.ffmpeg("-i", secret.path, other.path)
    let text = try #require(lists["hls"]).replacing(secret.path, with: other.path)
    let list = try folder.file("upload", Data(text.utf8))
    #expect(try decoded(list, ["hls", "mp3"]) > 88_200)
    #expect(try decoded(list, ["ape"]) == 0)
    #expect(try decoded(list, FileKind.demuxersOfAddresses) == 0)
    #expect(
      Set(FileKind.demuxersOfAddresses).isDisjoint(with: [
        "concat", "dash", "ffmetadata", "hls", "image2", "imf", "rtsp", "sdp", "tedcaptions",
      ]))
  }

  /// Returns the number of bytes that FFmpeg decodes from a file with only these demuxers.
  private func decoded(_ file: URL, _ demuxers: [String]) throws -> Int {
    let input = FFmpeg.Input.file(try Descriptor.reading(file.path), demuxers: demuxers)
    let child = try FFmpeg(decoding: input, path: file.path, what: "a list")
    let stream = StreamInput(source: child.output, path: file.path, interruption: try WakeUp())
    var count = 0
    while case let bytes = try stream.next(atMost: 1 << 16), !bytes.isEmpty { count += bytes.count }
    return count
  }

  @Test func `the footer of an ID3 tag is part of the tag`() throws {
    let footer = Data(Array("3DI".utf8) + [4, 0, 0x10, 0, 0, 0, 0])
    let tag = Data(Array("ID3".utf8) + [4, 0, 0x10, 0, 0, 0, 0]) + footer
    let flac = try Data(contentsOf: folder.file("a.flac", .flac16, sampleBuffer()))
    let file = try folder.file("b.flac", tag + flac)
    #expect(try everything(file) == sampleBuffer().samples)
  }
}
