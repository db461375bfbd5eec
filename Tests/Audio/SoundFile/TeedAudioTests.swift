import AudioCore
import Foundation
import SoundFile
import Synchronization
import TestTools
import Testing

@Suite struct TeedAudioTests {
  private struct Failure: Error {}

  private func buffer(_ count: FrameCount, at frame: FrameCount) -> AudioBuffer {
    AudioSignal.noise(seed: 2).buffer(count, format: .speech, firstFrame: frame)
  }

  private func stream(
    _ buffers: [AudioBuffer], failing error: (any Error)? = nil
  ) -> AsyncThrowingStream<AudioBuffer, any Error> {
    AsyncThrowingStream { continuation in
      for buffer in buffers { continuation.yield(buffer) }
      continuation.finish(throwing: error)
    }
  }

  @Test func `buffers pass unchanged, and the file contains their audio`() async throws {
    let folder = try TestFolder()
    let buffers = [buffer(100, at: 0), buffer(50, at: 100)]
    var passed: [AudioBuffer] = []
    let url = folder.file("a.wav")
    for try await buffer in stream(buffers).teed(to: url, encoding: .wavFloat) {
      passed.append(buffer)
    }
    #expect(passed == buffers)
    #expect(try everything(url) == buffers.flatMap(\.samples))
  }

  @Test func `frames missing from the stream are silence in the file`() async throws {
    let folder = try TestFolder()
    let buffers = [buffer(10, at: 7), buffer(10, at: 10_017)]
    for (gaps, silence) in [(TeePolicy.Gaps.silence, 10_000), (.closedUp, 0)] {
      let url = folder.file("\(gaps).wav")
      let teed = stream(buffers).teed(
        to: url, encoding: .wavFloat, policy: TeePolicy(gaps: gaps))
      for try await _ in teed {}
      let expected =
        buffers[0].samples + [Float](repeating: 0, count: silence) + buffers[1].samples
      #expect(try everything(url) == expected)
    }
  }

  @Test func `audio whose frame index restarts is appended to the file`() async throws {
    let folder = try TestFolder()
    let url = folder.file("a.wav")
    let buffers = [buffer(10, at: 40), buffer(10, at: 50), buffer(10, at: 0)]
    for try await _ in stream(buffers).teed(to: url, encoding: .wavFloat) {}
    #expect(try everything(url) == buffers.flatMap(\.samples))
  }

  @Test func `an error of the stream is thrown after the file is complete`() async throws {
    let folder = try TestFolder()
    let url = folder.file("a.flac")
    let teed = stream([buffer(100, at: 0)], failing: Failure()).teed(to: url, encoding: .flac16)
    await #expect(throws: Failure.self) { for try await _ in teed {} }
    #expect(try everything(url).count == 100)
  }

  @Test func `if the file cannot be created, the stream throws the error and ends`() async throws {
    let folder = try TestFolder()
    let url = folder.file("missing/a.wav")
    let teed = stream([buffer(1, at: 0)]).teed(to: url, encoding: .wav16)
    var iterator = teed.makeAsyncIterator()
    await #expect(throws: SoundFileError.noFolder(path: url.path)) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
  }

  @Test func `a stream that continues without its file reports the error once`() async throws {
    let folder = try TestFolder()
    let errors = Mutex<[String]>([])
    let policy = TeePolicy(
      failure: .continues { error in errors.withLock { $0.append("\(error)") } })
    let url = folder.file("missing/a.wav")
    var count = 0
    let buffers = [buffer(1, at: 0), buffer(1, at: 1), buffer(1, at: 2)]
    for try await _ in stream(buffers).teed(to: url, encoding: .wav16, policy: policy) {
      count += 1
    }
    #expect(count == 3)
    #expect(errors.withLock { $0.count } == 1)
  }

  @Test func `a buffer in another format throws, and the file keeps the earlier audio`()
    async throws
  {
    let folder = try TestFolder()
    let url = folder.file("a.wav")
    let buffers = [buffer(100, at: 0), AudioBuffer(silence: 5, format: cd, firstFrame: 100)]
    let teed = stream(buffers).teed(to: url, encoding: .wavFloat)
    await #expect(throws: SoundFileError.wrongFormat(expected: .speech, actual: cd)) {
      for try await _ in teed {}
    }
    #expect(try everything(url) == buffers[0].samples)
  }

  @Test func `a full disk ends the stream after the file is closed`() async throws {
    let teed = stream([buffer(100_000, at: 0), buffer(100_000, at: 100_000)])
      .teed(to: URL(filePath: "/dev/full"), encoding: .wav16)
    await #expect(throws: SoundFileError.self) { for try await _ in teed {} }
  }

  @Test func `a stream without buffers creates no file`() async throws {
    let folder = try TestFolder()
    let url = folder.file("a.wav")
    for try await _ in stream([]).teed(to: url, encoding: .wav16) {}
    #expect(!FileManager.default.fileExists(atPath: url.path))
  }

  @Test func `a canceled consumer leaves a complete file behind`() async throws {
    let folder = try TestFolder()
    let url = folder.file("a.flac")
    let (source, feed) = AsyncThrowingStream.makeStream(of: AudioBuffer.self)
    let (passed, note) = AsyncStream.makeStream(of: Void.self)
    let consumer = Task {
      for try await _ in source.teed(to: url, encoding: .flac16) { note.yield() }
    }
    feed.yield(buffer(100, at: 0))
    for await _ in passed { break }
    consumer.cancel()
    _ = await consumer.result
    #expect(try everything(url).count == 100)
  }

  @Test func `if the consumer is canceled, a gap is not filled with silence`() async throws {
    let folder = try TestFolder()
    let url = folder.file("a.wav")
    let errors = Mutex(0)
    let policy = TeePolicy(failure: .continues { _ in errors.withLock { $0 += 1 } })
    let buffers = [buffer(100, at: 0), buffer(100, at: 10_000_000)]
    let consumer = Task {
      let teed = Cancelling(buffers: buffers).teed(to: url, encoding: .wavFloat, policy: policy)
      for try await _ in teed {}
    }
    await #expect(throws: CancellationError.self) { try await consumer.value }
    #expect(try SoundFileReader(url: url).announcedFrameCount == 100)
    #expect(errors.withLock { $0 } == 0)
  }
}

/// Buffers whose consumer is canceled as soon as the last buffer arrives.
private struct Cancelling: AsyncSequence, AsyncIteratorProtocol {
  var buffers: [AudioBuffer]

  func makeAsyncIterator() -> Cancelling { self }

  mutating func next() async throws -> AudioBuffer? {
    if buffers.count == 1 { withUnsafeCurrentTask { $0?.cancel() } }
    return buffers.isEmpty ? nil : buffers.removeFirst()
  }
}
