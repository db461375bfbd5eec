import AudioCore
import AudioThreads
import Foundation
import TestTools
import Testing

@testable import SoundFile

@Suite struct FileLossTests {
  @Test func `a file with no hard link counts as removed, a shorter file as truncated`() throws {
    let folder = try TestFolder()
    let (url, link) = (folder.file("a"), folder.file("b"))
    let file = try GrowingFile(path: url.path)
    _ = withUnsafeBytes(of: (1, 2)) { file.append($0) }
    #expect(!file.isRemoved && file.cutSize == nil)
    try FileManager.default.linkItem(at: url, to: link)
    truncate(url.path, 17)
    #expect(!file.isRemoved && file.cutSize == nil)
    truncate(url.path, 15)
    #expect(file.cutSize == 15)
    try FileManager.default.removeItem(at: url)
    #expect(!file.isRemoved)
    try FileManager.default.removeItem(at: link)
    #expect(file.isRemoved)
  }

  @Test(arguments: SoundFileEncoding.Container.allCases)
  func `a recording into a removed folder ends within a second and is saved in the folder above`(
    container: SoundFileEncoding.Container
  ) throws {
    let folder = try TestFolder()
    let below = folder.file("gone/deeper")
    try FileManager.default.createDirectory(at: below, withIntermediateDirectories: true)
    let url = below.appending(path: "a.sound")
    let format = AudioFormat(sampleRate: 16_000, channelCount: 1)
    let encoding = SoundFileEncoding(container)
    let writer = try SoundFileWriter(url: url, format: format, encoding: encoding)
    let second = AudioSignal.noise(seed: 1).buffer(.seconds(1), format: format)
    try writer.write(second)
    try FileManager.default.removeItem(at: folder.file("gone"))
    let copy = folder.file("a-recovered.sound")
    #expect(throws: SoundFileError.recovered(path: url.path, copy: copy.path)) {
      try writer.write(second)
    }
    try writer.close()
    #expect(writer.framesWritten == 16_000)
    // Some encoders add silence, so the file may be longer.
    #expect((15_900...18_304).contains(try everything(try SoundFileReader(url: copy)).count))
  }

  @Test func `a removed file that cannot be saved counts no frames as written`() throws {
    let folder = try TestFolder()
    let url = folder.file("a.wav")
    let file = try GrowingFile(path: url.path)
    let header = WAVFileHeader(format: cd, samples: .int16)
    let writer = SoundFileWriter(
      file, output: try WAVFileOutput(file, header: header), format: cd, encoding: .wav16,
      rescue: { _, _ in nil })
    try writer.write(sampleBuffer())
    try FileManager.default.removeItem(at: url)
    #expect(throws: SoundFileError.removed(path: url.path)) { try writer.write(sampleBuffer()) }
    try writer.close()
    #expect(writer.framesWritten == 0)
  }

  @Test func `closing detects that a file was removed in its last second`() throws {
    let folder = try TestFolder()
    let url = folder.file("a.wav")
    let writer = try SoundFileWriter(url: url, format: cd, encoding: .wav16)
    try writer.write(sampleBuffer().frames(0..<1_000))
    try FileManager.default.removeItem(at: url)
    let copy = folder.file("a-recovered.wav")
    #expect(throws: SoundFileError.recovered(path: url.path, copy: copy.path)) {
      try writer.close()
    }
    #expect(writer.framesWritten == 1_000)
    #expect(try SoundFileReader(url: copy).announcedFrameCount == 1_000)
  }

  @Test(arguments: [SoundFileEncoding.mp3, .opus, .flac16, .wav16])
  func `a file that is removed before its first frame is not saved`(
    encoding: SoundFileEncoding
  ) throws {
    let folder = try TestFolder()
    let url = folder.file("a.sound")
    let format = AudioFormat(sampleRate: 48_000, channelCount: 1)
    let writer = try SoundFileWriter(url: url, format: format, encoding: encoding)
    try FileManager.default.removeItem(at: url)
    #expect(throws: SoundFileError.removed(path: url.path)) { try writer.close() }
    #expect(writer.framesWritten == 0)
    #expect(try folder.names.isEmpty)
  }

  @Test func `a file that another process truncates is reported as incomplete`() throws {
    let folder = try TestFolder()
    let url = folder.file("a.wav")
    let writer = try SoundFileWriter(url: url, format: cd, encoding: .wav16)
    try writer.write(sampleBuffer().frames(0..<1_000))
    truncate(url.path, 80 + 400 * 4)
    let error = #expect(throws: SoundFileError.self) { try writer.close() }
    guard case .incomplete(url.path, 1_000, let found) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(found == 400)
    #expect(writer.framesWritten == 400)
  }

  /// The file claims to contain two months of CD audio, but only one byte is stored.
  @Test(arguments: ["removed", "truncated"])
  func `a removed or truncated file is detected even if it announces months of audio`(loss: String)
    throws
  {
    let folder = try TestFolder()
    let url = folder.file("a.caf")
    let file = try GrowingFile(path: url.path)
    let output = LongOutput()
    let writer = SoundFileWriter(
      file, output: output, format: cd,
      encoding: try SoundFileEncoding(.caf, samples: .int16), rescue: { _, _ in nil })
    _ = withUnsafeBytes(of: UInt8(1)) { file.write($0, at: 1 << 40) }
    output.framesWritten = FrameCount(1 << 38)
    if loss == "removed" {
      try FileManager.default.removeItem(at: url)
      #expect(throws: SoundFileError.removed(path: url.path)) {
        try writer.write(AudioBuffer(silence: 1, format: cd))
      }
    } else {
      truncate(url.path, 1 << 38)
      #expect(
        throws: SoundFileError.incomplete(
          path: url.path, written: FrameCount(1 << 38), found: FrameCount((1 << 36) - 1))
      ) {
        try writer.write(AudioBuffer(silence: 1, format: cd))
      }
    }
  }

  /// An output that claims to have written a given number of frames.
  private final class LongOutput: SoundFileOutput {
    var framesWritten: FrameCount = 0
    func write(_ samples: UnsafeBufferPointer<Float>) {}
    func updateHeader() {}
    func finish() -> SoundFileError? { nil }
  }

  @Test(arguments: [true, false])
  func `a file that lacks audio does not replace a complete file`(isAtomic: Bool) throws {
    let folder = try TestFolder()
    let url = folder.file("a.flac")
    try Data("old".utf8).write(to: url)
    let output = LongOutput()
    let writer = SoundFileWriter(
      try GrowingFile(path: url.path, isAtomic: isAtomic), output: output, format: cd,
      encoding: .flac16, isAtomic: isAtomic)
    output.framesWritten = 4_410
    let error = #expect(throws: SoundFileError.self) { try writer.close() }
    #expect(error?.description.contains("the new file lacks audio and was discarded") == true)
    #expect(writer.framesWritten == 0)
    #expect(try Data(contentsOf: url) == Data("old".utf8))
  }

  /// If the truncation were not detected, the next write would restore the old length, with a gap.
  @Test(arguments: SoundFileEncoding.allCases)
  func `a file that another process truncates is detected before the next write`(
    encoding: SoundFileEncoding
  ) throws {
    let folder = try TestFolder()
    let url = folder.file("a")
    let format = AudioFormat(sampleRate: 48_000, channelCount: 2)
    let writer = try SoundFileWriter(url: url, format: format, encoding: encoding)
    let sound = AudioSignal.noise(seed: 1).buffer(.milliseconds(2_900), format: format)
    try writer.write(sound)
    let written = writer.framesWritten
    let size = try Data(contentsOf: url).count / 2
    truncate(url.path, size)
    let error = #expect(throws: SoundFileError.self) { try writer.write(sound) }
    guard case .incomplete(url.path, written, let found) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(found < written)
    try writer.close()
    let left = try storedFrameCount(Descriptor.reading(url.path), path: url.path)
    #expect(left == writer.framesWritten, "\(encoding)")
    // libsndfile cannot open a CAF file that is shorter than its header announces, and cannot
    // correct the header. So no frames of a truncated CAF file are readable.
    #expect(left > 0 || encoding.container == .caf, "\(encoding)")
    #expect(try Data(contentsOf: url).count <= size)
  }
}
