import AudioCore
import Foundation
import TestTools
import Testing

@testable import SoundFile

@Suite struct VorbisOutputTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test(arguments: [8_000, 11_025, 22_050, 44_100, 192_000])
  func `the channels of a Vorbis file do not leak into each other`(rate: Int) throws {
    let format = AudioFormat(sampleRate: SampleRate(hertz: rate), channelCount: 2)
    let left = AudioSignal.sine(440, amplitude: 0.5)
      .buffer(.milliseconds(1_300), format: .init(sampleRate: format.sampleRate, channelCount: 1))
    let samples = left.samples.flatMap { [$0, 0] as [Float] }
    let url = try folder.file("a", .oggVorbis, AudioBuffer(format: format, samples: samples))
    let reader = try SoundFileReader(url: url)
    #expect(reader.format == format)
    #expect(reader.announcedFrameCount == left.frameCount)
    let found = try everything(reader)
    #expect(found.count == samples.count)
    let right = stride(from: 1, to: found.count, by: 2).map { abs(found[$0]) }.max()
    #expect(try #require(right) < 0.02)
    let errors = zip(found, samples).map { abs($0 - $1) }
    #expect(try #require(errors.max()) < 0.1)
  }

  @Test
  func `updateHeader writes the incomplete page, so a reader finds all frames written so far`()
    throws
  {
    let format = AudioFormat(sampleRate: 48_000, channelCount: 1)
    let file = try GrowingFile(path: folder.file("a.ogg").path)
    let output = try VorbisOutput(file, format: format)
    let tone = AudioSignal.sine(440, amplitude: 0.01).buffer(.milliseconds(500), format: format)
    for second in 1...4 {
      try tone.samples.withUnsafeBufferPointer { try output.write($0) }
      #expect(storedFrameCount(file.descriptor, path: file.path).rawValue <= 24_000 * (second - 1))
      try output.updateHeader()
      let stored = storedFrameCount(file.descriptor, path: file.path)
      #expect(stored.rawValue >= 24_000 * second - 4_096)
    }
    #expect(output.finish() == nil)
    #expect(storedFrameCount(file.descriptor, path: file.path) == 96_000)
  }

  @Test func `after a failed write, an Ogg Vorbis file is read to count its frames`()
    throws
  {
    let format = AudioFormat(sampleRate: 48_000, channelCount: 1)
    let file = try GrowingFile(path: folder.file("a.ogg").path)
    let output = try VorbisOutput(file, format: format)
    let noise = AudioSignal.noise(seed: 1).buffer(.seconds(1), format: format).samples
    try noise.withUnsafeBufferPointer { try output.write($0) }
    file.note(failureCode: ENOSPC)
    #expect(throws: SoundFileError.diskFull(path: file.path)) {
      try noise.withUnsafeBufferPointer { try output.write($0) }
    }
    #expect(output.finish() == nil)
    #expect(output.framesWritten > 20_000 && output.framesWritten <= 48_000)
    #expect(storedFrameCount(file.descriptor, path: file.path) == output.framesWritten)
  }

  @Test(arguments: [1, 2_000, 8_000, 48_000, 192_000, 200_000, 200_001, 1_000_000])
  func `the quick check of a format gives the same result as opening the encoder`(rate: Int) {
    for channelCount in [1, 2, 3, 6, 8, 255, 256] {
      let format = AudioFormat(sampleRate: SampleRate(hertz: rate), channelCount: channelCount)
      let isEncoded = VorbisEncoder(format) != nil
      #expect(VorbisEncoder.encodes(format) == isEncoded, "\(format)")
    }
  }

  @Test(arguments: [(1_000_000, 1), (48_000, 256)])
  func `a format that Vorbis does not support is rejected before a file is created`(
    rate: Int, channelCount: Int
  ) throws {
    let format = AudioFormat(sampleRate: SampleRate(hertz: rate), channelCount: channelCount)
    let url = folder.file("a.ogg")
    let error = #expect(throws: SoundFileError.self) {
      try SoundFileWriter(url: url, format: format, encoding: .oggVorbis)
    }
    guard case .unsupportedFormat = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(!FileManager.default.fileExists(atPath: url.path))
  }
}
