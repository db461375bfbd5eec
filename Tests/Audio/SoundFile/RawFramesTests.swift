import AudioCore
import AudioThreads
import Foundation
import Testing

@testable import SoundFile

@Suite struct RawFramesTests {
  @Test(
    arguments: [
      (.int16, [0, 0, 0, 0x80, 0xFF, 0x7F, 1, 0], [0, -1, 32_767.0 / 32_768, 1.0 / 32_768]),
      (.int24, [0, 0, 0x80, 0xFF, 0xFF, 0xFF, 0, 0, 0x40], [-1, -1.0 / 8_388_608, 0.5]),
      (.int32, [0, 0, 0, 0x80, 0, 0, 0, 0x20], [-1, 0.25]),
      (.float, [0, 0, 0x80, 0x3F, 0, 0, 0, 0xC0], [1, -2]),
    ] as [(SoundFileEncoding.SampleFormat, [UInt8], [Float])])
  func `samples are little-endian with full scale at ±1`(
    samples: SoundFileEncoding.SampleFormat, bytes: [UInt8], expected: [Float]
  ) async throws {
    #expect(try await read(bytes, samples: samples, channels: 1).flatMap(\.samples) == expected)
  }

  @Test
  func `raw frames are yielded as they arrive, in pieces of any size, with their frame index`()
    async throws
  {
    let pipe = Pipe()
    let format = AudioFormat(sampleRate: 16_000, channelCount: 2)
    var buffers = SoundFile.rawBuffers(
      ofFileDescriptor: pipe.fileHandleForReading.fileDescriptor, format: format, samples: .int16
    ).makeAsyncIterator()
    try pipe.fileHandleForWriting.write(contentsOf: Data([0, 0x40, 0, 0xC0, 0, 0x20]))
    let first = try #require(try await buffers.next())
    #expect(first == AudioBuffer(format: format, samples: [0.5, -0.5]))
    try pipe.fileHandleForWriting.write(contentsOf: Data([0, 0xE0, 0]))
    let second = try #require(try await buffers.next())
    #expect(second == AudioBuffer(format: format, samples: [0.25, -0.25], firstFrame: 1))
    // An incomplete frame at the end is dropped.
    try pipe.fileHandleForWriting.close()
    #expect(try await buffers.next() == nil)
  }

  @Test func `raw buffers do not exceed the requested length`() async throws {
    let buffers = try await read(
      [UInt8](repeating: 0, count: 100), samples: .int16, channels: 1, framesPerBuffer: 20)
    #expect(buffers.map(\.frameCount) == [20, 20, 10])
  }

  @Test(arguments: [0, 3]) func `a stream without a frame is an error`(count: Int) async {
    await #expect(throws: SoundFileError.empty(path: "standard input")) {
      _ = try await read([UInt8](repeating: 0, count: count), samples: .int16, channels: 2)
    }
  }

  @Test func `canceling the reader ends a read from a pipe without data`() async throws {
    let pipe = Pipe()
    let buffers = SoundFile.rawBuffers(
      ofFileDescriptor: pipe.fileHandleForReading.fileDescriptor,
      format: AudioFormat(sampleRate: 16_000, channelCount: 2), samples: .int16)
    let reading = Task { try await buffers.reduce(0) { count, _ in count + 1 } }
    reading.cancel()
    #expect(try await reading.value == 0)
    withExtendedLifetime(pipe) {}
  }

  private func read(
    _ bytes: [UInt8], samples: SoundFileEncoding.SampleFormat, channels: Int,
    framesPerBuffer: FrameCount = 4_096
  ) async throws -> [AudioBuffer] {
    let pipe = Pipe()
    try pipe.fileHandleForWriting.write(contentsOf: Data(bytes))
    try pipe.fileHandleForWriting.close()
    let stream = SoundFile.rawBuffers(
      ofFileDescriptor: pipe.fileHandleForReading.fileDescriptor,
      format: AudioFormat(sampleRate: 16_000, channelCount: channels), samples: samples,
      framesPerBuffer: framesPerBuffer)
    let buffers = try await stream.reduce(into: []) { $0.append($1) }
    withExtendedLifetime(pipe) {}
    return buffers
  }
}
