import AudioCore
import Foundation
import SoundFile
import TestTools
import Testing

@Suite struct SoundFileErrorTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test func `the error for a missing file is notFound`() {
    let url = folder.file("none.wav")
    #expect(throws: SoundFileError.notFound(path: url.path)) { try SoundFileReader(url: url) }
  }

  @Test func `the error for a folder is isDirectory`() {
    let path = folder.url.path
    #expect(throws: SoundFileError.isDirectory(path: path)) {
      try SoundFileReader(url: folder.url)
    }
    #expect(throws: SoundFileError.isDirectory(path: path)) {
      try SoundFileWriter(url: folder.url, format: cd, encoding: .wav16)
    }
  }

  @Test func `the error for an empty file is SoundFileError.empty`() throws {
    let url = try folder.file("empty.wav", Data())
    #expect(throws: SoundFileError.empty(path: url.path)) { try SoundFileReader(url: url) }
  }

  @Test(arguments: [1, 5, 11, 12, 40, 10_000])
  func `the error for a text file is notAudio`(length: Int) throws {
    let text = String(repeating: "Just a text, no audio. ", count: 500)
    let url = try folder.file("text.wav", Data(text.utf8.prefix(length)))
    #expect(throws: SoundFileError.notAudio(path: url.path)) { try SoundFileReader(url: url) }
  }

  @Test(arguments: ["RIFF1234WAVE56789012345678901234567890", "Only text", "fLaC and no more"])
  func `a rejected file is closed`(content: String) throws {
    let url = try folder.file("a.wav", Data(content.utf8))
    #expect(throws: SoundFileError.self) { try SoundFileReader(url: url) }
    #expect(try !isOpen(url))
  }

  /// Root can read any ordinary file, so the test uses a kernel setting that even root cannot read.
  @Test func `the error for an unreadable file is permissionDenied`() {
    let path = "/proc/sys/vm/drop_caches"
    #expect(throws: SoundFileError.permissionDenied(path: path)) {
      try SoundFileReader(url: URL(fileURLWithPath: path))
    }
  }

  @Test func `the error for an unwritable file is permissionDenied`() {
    let path = "/proc/sys/kernel/osrelease"
    let error = #expect(throws: SoundFileError.self) {
      try SoundFileWriter(url: URL(fileURLWithPath: path), format: cd, encoding: .wav16)
    }
    let readOnly = "Read-only file system (errno 30)"
    #expect(
      error == .permissionDenied(path: path)
        || error == .cannotWrite(path: path, reason: readOnly))
  }

  @Test func `the error for a missing folder is noFolder`() {
    let url = folder.file("none/a.wav")
    #expect(throws: SoundFileError.noFolder(path: url.path)) {
      try SoundFileWriter(url: url, format: cd, encoding: .wav16)
    }
  }

  @Test func `a header without audio is an error`() throws {
    let url = try folder.file("a.wav", Data("RIFF1234WAVE56789012345678901234567890".utf8))
    let error = #expect(throws: SoundFileError.self) { try SoundFileReader(url: url) }
    guard case .damaged(url.path, 0, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `an unsupported rate is rejected before the file is touched`() throws {
    let url = try folder.file("a.opus", Data("precious".utf8))
    let error = #expect(throws: SoundFileError.self) {
      try SoundFileWriter(url: url, format: cd, encoding: .opus)
    }
    let reason = "its rates are 8000, 12000, 16000, 24000, 48000 Hz"
    #expect(error == .unsupportedFormat(cd, encoding: .opus, reason: reason))
    #expect(try Data(contentsOf: url) == Data("precious".utf8))
  }

  @Test
  func `the error for too many channels in FLAC contains the maximum number of channels`() {
    let format = AudioFormat(sampleRate: 44_100, channelCount: 10)
    let error = #expect(throws: SoundFileError.self) {
      try SoundFileWriter(url: folder.file("a.flac"), format: format, encoding: .flac16)
    }
    let reason = "FLAC holds at most 8 channels, not 10; choose WAV"
    #expect(error == .unsupportedFormat(format, encoding: .flac16, reason: reason))
  }

  @Test func `a buffer of another format is refused`() throws {
    let writer = try SoundFileWriter(
      url: folder.file("a.wav"), format: .speech, encoding: .wav16)
    #expect(throws: SoundFileError.wrongFormat(expected: .speech, actual: cd)) {
      try writer.write(sampleBuffer())
    }
  }

  @Test(arguments: SoundFileEncoding.allCases)
  func `the error for a full disk is diskFull`(encoding: SoundFileEncoding) {
    #expect(throws: SoundFileError.diskFull(path: "/dev/full")) {
      let writer = try SoundFileWriter(
        url: URL(fileURLWithPath: "/dev/full"), format: .speech, encoding: encoding)
      try writer.write(AudioSignal.noise(seed: 1).buffer(.seconds(10), format: .speech))
      try writer.close()
    }
  }

  @Test(arguments: [
    (SoundFileError.notFound(path: "a.wav"), "there is no a.wav"),
    (.noFolder(path: "none/a.wav"), "the folder none does not exist; create it first"),
    (.empty(path: "a.wav"), "a.wav is empty"),
    (.unsupported(path: "a.m4a", what: "AAC"), "a.m4a is AAC, which only FFmpeg reads"),
    (
      .silent(path: "a.png", what: "a PNG picture"), "a.png is a PNG picture and has no audio track"
    ),
    (.damaged(path: "a.wav", frame: 7, reason: "why"), "a.wav is damaged after 7 frames: why"),
    (.unknownExtension("xyz"), "\"xyz\"; use one of wav, wave, aiff"),
    (.diskFull(path: "a.wav"), "no space is left"),
    (.brokenPipe(path: "standard output"), "the reader of standard output has gone"),
    (.closed(path: "a.wav"), "already closed"),
  ])
  func `the description of an error is a sentence with the cause`(
    error: SoundFileError, part: String
  ) {
    #expect("\(error)".contains(part))
  }
}
