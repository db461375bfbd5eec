import AudioCore
import Foundation
import SoundFile
import Testing

/// A file that is not to be replaced.
@Suite struct ExistingFileTests {
  private let folder: TestFolder
  private let format = AudioFormat(sampleRate: 48_000, channelCount: 1)

  init() throws {
    folder = try TestFolder()
  }

  @Test(arguments: [SoundFileEncoding.wav16, .flac16, .oggVorbis])
  func `a file that exists is an error where it is not to be replaced, and stays as it is`(
    encoding: SoundFileEncoding
  ) throws {
    let url = folder.file("a")
    let old = Data("old".utf8)
    try old.write(to: url)
    #expect(throws: SoundFileError.alreadyExists(path: url.path)) {
      _ = try SoundFileWriter(
        url: url, format: format, encoding: encoding, replacesExisting: false)
    }
    #expect(try Data(contentsOf: url) == old)
    _ = try SoundFileWriter(url: url, format: format, encoding: encoding)
    #expect(try Data(contentsOf: url) != old)
  }

  @Test func `a file that does not exist is made`() throws {
    let url = folder.file("a")
    let writer = try SoundFileWriter(
      url: url, format: format, encoding: .wav16, replacesExisting: false)
    try writer.write(AudioBuffer(silence: 100, format: format))
    try writer.close()
    #expect(try SoundFileReader(url: url).announcedFrameCount == 100)
  }
}
