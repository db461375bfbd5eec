import AudioCore
import AudioThreads
import Foundation
import Glibc
import SoundFile
import TestTools
import Testing

/// Tests writing a file to the path of an existing file.
@Suite struct ExistingFileTests {
  private let folder: TestFolder
  private let format = AudioFormat(sampleRate: 48_000, channelCount: 1)
  private let old = Data("old".utf8)
  private var url: URL { folder.file("a") }

  init() throws {
    folder = try TestFolder()
    try old.write(to: url)
  }

  private var isUntouched: Bool {
    get throws {
      try folder.names == ["a"] && Data(contentsOf: url) == old
    }
  }

  private func writer(_ encoding: SoundFileEncoding = .wav16) throws -> SoundFileWriter {
    try SoundFileWriter(url: url, format: format, encoding: encoding)
  }

  private func noise(_ length: Duration) -> AudioBuffer {
    AudioSignal.noise(seed: 1).buffer(length, format: format)
  }

  @Test(arguments: [SoundFileEncoding.wav16, .flac16, .oggVorbis])
  func `without replacesExisting, an existing file causes an error and is not changed`(
    encoding: SoundFileEncoding
  ) throws {
    #expect(throws: SoundFileError.alreadyExists(path: url.path)) {
      _ = try SoundFileWriter(
        url: url, format: format, encoding: encoding, replacesExisting: false)
    }
    #expect(try isUntouched)
  }

  @Test func `a missing file is created`() throws {
    let url = folder.file("b")
    let writer = try SoundFileWriter(
      url: url, format: format, encoding: .wav16, replacesExisting: false)
    try writer.write(AudioBuffer(silence: 100, format: format))
    try writer.close()
    #expect(try SoundFileReader(url: url).announcedFrameCount == 100)
  }

  @Test(arguments: SoundFileEncoding.allCases)
  func `an existing file is kept until half a second of the new audio is readable`(
    encoding: SoundFileEncoding
  ) throws {
    let writer = try writer(encoding)
    try writer.write(noise(.milliseconds(490)))
    #expect(try isUntouched)
    try writer.write(noise(.milliseconds(20)))
    let reader = try SoundFileReader(url: url)
    #expect(try !everything(reader).isEmpty, "\(encoding)")
    try writer.close()
    #expect(try everything(try SoundFileReader(url: url)).count >= 24_480, "\(encoding)")
  }

  @Test(arguments: [true, false])
  func `closing or releasing a short recording replaces the existing file`(isClosed: Bool) throws {
    do {
      let writer = try writer()
      try writer.write(noise(.milliseconds(10)))
      if isClosed { try writer.close() }
    }
    #expect(try everything(try SoundFileReader(url: url)).count == 480)
    #expect(try folder.names == ["a"])
  }

  @Test(arguments: SoundFileEncoding.allCases)
  func `discarding a writer, or releasing it without audio, leaves the file unchanged`(
    encoding: SoundFileEncoding
  ) throws {
    let writer = try writer(encoding)
    writer.discard()
    #expect(throws: SoundFileError.closed(path: url.path)) { try writer.write(noise(.seconds(1))) }
    #expect(try isUntouched)
    _ = try self.writer(encoding)
    #expect(try isUntouched)
  }

  @Test func `discarding a new file removes it, but not another file that has taken its name`()
    throws
  {
    let (new, other) = (folder.file("new"), folder.file("other"))
    let writer = try SoundFileWriter(url: new, format: format, encoding: .wav16)
    writer.discard()
    #expect(!FileManager.default.fileExists(atPath: new.path))
    let second = try SoundFileWriter(url: new, format: format, encoding: .wav16)
    try old.write(to: other)
    try #require(rename(other.path, new.path) == 0)
    second.discard()
    #expect(try Data(contentsOf: new) == old)
  }

  /// The disk has room for nothing, for half of the header, or for less than the first half second.
  @Test(arguments: [0, 50, 8_000])
  func `a disk that is full at the start leaves the existing file unchanged`(room: Int) async {
    await #expect(processExitsWith: .success) { [room] in
      signal(SIGXFSZ, SIG_IGN)
      let test = try ExistingFileTests()
      for encoding in SoundFileEncoding.allCases {
        var limit = rlimit(rlim_cur: rlim_t(room), rlim_max: .max)
        setrlimit(__rlimit_resource_t(1), &limit)
        #expect(throws: SoundFileError.tooLarge(path: test.url.path), "\(encoding)") {
          let writer = try test.writer(encoding)
          defer {
            try? writer.close()
            #expect(writer.framesWritten == 0)
          }
          try writer.write(test.noise(.seconds(2)))
        }
        limit.rlim_cur = .max
        setrlimit(__rlimit_resource_t(1), &limit)
        #expect(try test.isUntouched, "\(encoding)")
      }
    }
  }

  @Test(arguments: ["a", "new"])
  func `a second writer of a file is rejected until the first is closed`(
    name: String
  ) throws {
    let url = folder.file(name)
    func writer() throws -> SoundFileWriter {
      try SoundFileWriter(url: url, format: format, encoding: .wav16)
    }
    let first = try writer()
    for length in [Duration.zero, .milliseconds(200), .seconds(1)] {
      try first.write(noise(length))
      #expect(throws: SoundFileError.inUse(path: url.path)) { _ = try writer() }
    }
    try first.close()
    let second = try writer()
    second.discard()
    #expect(try everything(try SoundFileReader(url: url)).count == 57_600)
    withExtendedLifetime(first) {}
    try writer().close()
  }

  @Test func `the target of a link is replaced and keeps its permissions`() throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: url.path)
    let link = folder.file("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
    let writer = try SoundFileWriter(url: link, format: format, encoding: .wav16)
    try writer.write(noise(.seconds(1)))
    try writer.close()
    #expect(try everything(try SoundFileReader(url: url)).count == 48_000)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == url.path)
    let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
    #expect(attributes[.posixPermissions] as? Int == 0o640)
  }

  /// Tests unusual rates, because some encoders, such as libFLAC, have limits of their own.
  @Test(arguments: SoundFileEncoding.allCases)
  func `an unsupported rate leaves the existing file unchanged`(
    encoding: SoundFileEncoding
  ) throws {
    for hertz in [1, 7, 999, 7_999, 96_000, 200_001, 655_351, 768_000, 1_048_576, 2_000_000_000] {
      let odd = AudioFormat(sampleRate: SampleRate(hertz: hertz), channelCount: 1)
      do throws(SoundFileError) {
        _ = try SoundFileWriter(url: url, format: odd, encoding: encoding)
      } catch .unsupportedFormat {
      } catch {
        Issue.record("\(encoding) at \(hertz) Hz: \(error)")
      }
      #expect(try isUntouched)
    }
  }

  @Test
  func `a new writer can open the file at once, even while another thread starts processes`()
    async throws
  {
    let end = try WakeUp()
    let thread = try DedicatedThread.start(name: "starter") {
      while !end.isSignaled(within: 0) {
        _ = try? ChildProcess([Array("true".utf8)], input: 0, output: 1, errors: 2).wait()
      }
    }
    for _ in 0..<1_000 { _ = try writer() }
    end.signal()
    await thread.join()
  }

  @Test func `writing to a dangling link creates its target, and discarding removes the target`()
    throws
  {
    let (link, target) = (folder.file("link"), folder.file("target"))
    try FileManager.default.createSymbolicLink(
      atPath: link.path, withDestinationPath: target.lastPathComponent)
    try SoundFileWriter(url: link, format: format, encoding: .wav16).discard()
    #expect(try folder.names == ["a", "link"])
    let writer = try SoundFileWriter(url: link, format: format, encoding: .wav16)
    try writer.write(noise(.seconds(1)))
    try writer.close()
    #expect(try everything(target).count == 48_000)
  }
}
