import AudioCore
import Foundation
import TestTools
import Testing

@testable import SoundFile

@Suite struct EncoderWatchTests {
  @Test func `an encoder that writes nothing for five seconds of sound is reported`() {
    var watch = EncoderWatch(longestDelay: .seconds(5))
    let found = (1...7).map { look(&watch, second: $0, size: $0 < 2 ? 0 : 100, sample: 0.1) }
    #expect(found == [nil, nil, nil, nil, nil, nil, 2_000])
  }

  @Test func `an encoder may write nothing during silence of any length`() {
    var watch = EncoderWatch(longestDelay: .seconds(5))
    #expect((1...60).allSatisfy { look(&watch, second: $0, size: 0, sample: 0x1p-16) == nil })
  }

  @Test func `the encoder's limit of five seconds begins at the first sound after a silence`() {
    var watch = EncoderWatch(longestDelay: .seconds(5))
    for second in 1...20 { _ = look(&watch, second: second, size: 0, sample: 0) }
    let found = (21...25).map { look(&watch, second: $0, size: 0, sample: 0.1) }
    #expect(found == [nil, nil, nil, nil, 20_000])
  }

  /// If a working encoder wrote less often than every five seconds, its recordings would fail.
  @Test(arguments: SoundFileEncoding.allCases.filter { $0.longestDelay != nil }, [8_000, 48_000])
  func `every real encoder writes at least once in five seconds, even for quiet sound`(
    encoding: SoundFileEncoding, rate: Int
  ) throws {
    let rate = encoding.supportedRate(for: SampleRate(hertz: rate))
    let format = AudioFormat(sampleRate: rate, channelCount: 1)
    let folder = try TestFolder()
    let writer = try SoundFileWriter(url: folder.file("a"), format: format, encoding: encoding)
    for amplitude in [Float(0x1p-14), 0.001, 0.5] {
      let second = AudioSignal.sine(440, amplitude: amplitude).buffer(.seconds(1), format: format)
      for _ in 1...20 { try writer.write(second) }
    }
    try writer.close()
  }

  @Test func `at 100 Hz, an encoder may collect a minute of audio before it writes`() throws {
    let folder = try TestFolder()
    let format = AudioFormat(sampleRate: 100, channelCount: 1)
    let writer = try SoundFileWriter(url: folder.file("a"), format: format, encoding: .flac16)
    let second = AudioSignal.sine(20).buffer(.seconds(1), format: format)
    for _ in 1...200 { try writer.write(second) }
    try writer.close()
  }

  @Test
  func `a write throws incomplete if the encoder has written nothing for five seconds of sound`()
    throws
  {
    let folder = try TestFolder()
    let file = try GrowingFile(path: folder.file("a").path)
    let format = AudioFormat(sampleRate: 8_000, channelCount: 1)
    let writer = SoundFileWriter(
      file, output: MuteOutput(), format: format, encoding: .flac16)
    let second = AudioSignal.sine(440).buffer(.seconds(1), format: format)
    for _ in 1...4 { try writer.write(second) }
    #expect(
      throws: SoundFileError.incomplete(path: file.path, written: 40_000, found: 0)
    ) { try writer.write(second) }
  }

  private func look(
    _ watch: inout EncoderWatch, second: Int, size: Int, sample: Float
  ) -> FrameCount? {
    [0, sample].withUnsafeBufferPointer { watch.add($0) }
    return watch.lastFrame(at: FrameCount(1_000 * second), rate: 1_000, size: size)
  }
}

/// Accepts all samples and writes nothing.
private final class MuteOutput: SoundFileOutput {
  var framesWritten: FrameCount = 0

  func write(_ samples: UnsafeBufferPointer<Float>) {
    framesWritten += FrameCount(samples.count)
  }

  func updateHeader() {}

  func finish() -> SoundFileError? { nil }
}
