import AudioCore
import AudioThreads
import Foundation
import TestTools
import Testing

@testable import SoundFile

@Suite struct EncodedOutputTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test func `a write beyond the size that an AIFF header can store is an error`() throws {
    let file = try GrowingFile(path: folder.file("a.aiff").path)
    let encoding = SoundFileEncoding(.aiff)
    let output = try EncodedOutput(file, format: cd, encoding: encoding, largestAIFF: 10_000)
    let writer = SoundFileWriter(file, output: output, format: cd, encoding: encoding)
    let sound = sampleBuffer().frames(0..<1_000)
    try writer.write(sound)
    try writer.write(sound)
    #expect(throws: SoundFileError.tooLarge(path: file.path)) { try writer.write(sound) }
    try writer.close()
    #expect(writer.framesWritten == 2_000)
    let reader = try SoundFileReader(url: folder.file("a.aiff"))
    #expect(reader.announcedFrameCount == 2_000)
    #expect(try everything(reader).count == 4_000)
  }

  @Test(arguments: [SoundFileEncoding.Container.aiff, .au, .caf], [1, 5, 12])
  func `a file of a few float frames contains only these frames`(
    container: SoundFileEncoding.Container, count: Int
  ) throws {
    let format = AudioFormat(sampleRate: 8_000, channelCount: 1)
    let sound = AudioBuffer(format: format, samples: Array(repeating: 0.5, count: count))
    let url = try folder.file("a", SoundFileEncoding(container, samples: .float), sound)
    #expect(try everything(SoundFileReader(url: url)) == sound.samples)
  }

  @Test(arguments: [SoundFileEncoding.SampleFormat.int16, .float])
  func `the header of a file without frames announces length zero`(
    samples: SoundFileEncoding.SampleFormat
  ) throws {
    let format = AudioFormat(sampleRate: 8_000, channelCount: 1)
    let none = AudioBuffer(format: format, samples: [])
    func bytes(_ container: SoundFileEncoding.Container) throws -> Data {
      try Data(
        contentsOf: folder.file(
          "\(container)", SoundFileEncoding(container, samples: samples), none))
    }
    func size(_ data: Data, at offset: Int) -> Int {
      data[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
    }
    // libsndfile would read no frames even if the header announced some. Other programs trust the
    // header, so check the header's bytes.
    let aiff = try bytes(.aiff)
    #expect(size(aiff, at: 4) == aiff.count - 8)
    let sound = try #require(aiff.range(of: Data("SSND".utf8)))
    #expect(size(aiff, at: sound.upperBound) == 8)
    #expect(size(try bytes(.au), at: 8) == 0)
  }

  /// Reading would move the descriptor's offset, so an offset of 0 shows that nothing was read.
  @Test(arguments: [SoundFileEncoding.Container.aiff, .au, .caf])
  func `after a failed write, frames of linear PCM are counted without reading the file`(
    container: SoundFileEncoding.Container
  ) throws {
    let file = try GrowingFile(path: folder.file("a").path)
    let encoding = SoundFileEncoding(container)
    let output = try EncodedOutput(file, format: cd, encoding: encoding)
    let samples = sampleBuffer().samples
    try samples.withUnsafeBufferPointer { try output.write($0) }
    file.note(failureCode: EIO)
    #expect(throws: SoundFileError.self) {
      try samples.withUnsafeBufferPointer { try output.write($0) }
    }
    #expect(output.finish() == nil)
    #expect(output.framesWritten == 44_100)
    #expect(lseek(file.descriptor.number, 0, SEEK_CUR) == 0)
  }

  @Test(
    arguments: [SoundFileEncoding.flac16, .oggVorbis, .opus, .mp3], [48_000, 400_000, 560_000])
  func `the end of a truncated file is found, whatever frame the search starts from`(
    encoding: SoundFileEncoding, start: Int
  ) throws {
    let format = AudioFormat(sampleRate: 48_000, channelCount: 1)
    let noise = AudioSignal.noise(seed: 1).buffer(.seconds(12), format: format)
    let url = try folder.file("a", encoding, noise)
    let file = try Descriptor.reading(url.path)
    truncate(url.path, file.size * 4 / 5)
    let count = storedFrameCount(file, path: url.path)
    #expect(count > 400_000 && count < 560_000)
    #expect(storedFrameCount(file, path: url.path, from: FrameCount(start)) == count)
  }
}
