import AudioCore
import Foundation
import SoundFile
import TestTools
import Testing

@Suite struct WrittenAudioTests {
  private struct Failure: Error {}

  private func buffer(_ count: FrameCount, at frame: FrameCount) -> AudioBuffer {
    AudioSignal.noise(seed: 2).buffer(count, format: .speech, firstFrame: frame)
  }

  /// A type on the main actor that saves audio and shows the progress, like the screen of an app.
  @MainActor private final class Screen {
    private(set) var progress: [Duration] = []

    func save(_ audio: some AsyncSequence<AudioBuffer, any Error>, to url: URL) async throws
      -> FrameCount
    {
      try await audio.amplified(by: 0.5).write(to: url, encoding: .wavFloat, atomically: true) {
        progress.append($0)
      }
    }
  }

  @Test func `a type on the main actor writes a stream and shows its progress`() async throws {
    let folder = try TestFolder()
    let url = folder.file("a.wav")
    let buffers = [buffer(1_600, at: 0), buffer(800, at: 1_600)]
    let stream = AsyncThrowingStream<AudioBuffer, any Error> { continuation in
      for buffer in buffers { continuation.yield(buffer) }
      continuation.finish()
    }
    let screen = Screen()
    #expect(try await screen.save(stream, to: url) == 2_400)
    #expect(await screen.progress == [.milliseconds(100), .milliseconds(150)])
    #expect(try everything(url) == buffers.flatMap(\.samples).map { $0 * 0.5 })
  }

  @Test func `missing frames are silence or omitted, and a stream without audio creates no file`()
    async throws
  {
    let folder = try TestFolder()
    let buffers = Buffers([buffer(10, at: 0), buffer(10, at: 50)])
    for (gaps, count) in [(TeePolicy.Gaps.silence, 60), (.closedUp, 20)] {
      let url = folder.file("\(gaps).wav")
      let frames = try await buffers.write(
        to: url, encoding: .wavFloat, atomically: false, gaps: gaps)
      #expect(frames.rawValue == count)
      #expect(try everything(url).count == count)
    }
    let url = folder.file("none.wav")
    #expect(try await Buffers([]).write(to: url, encoding: .wav16, atomically: true) == 0)
    #expect(!FileManager.default.fileExists(atPath: url.path))
  }

  @Test(arguments: [true, false])
  func `a canceled write throws, and an atomic write leaves no file`(isAtomic: Bool) async throws {
    let folder = try TestFolder()
    let url = folder.file("a.wav")
    let (source, feed) = AsyncThrowingStream.makeStream(of: AudioBuffer.self)
    let (written, note) = AsyncStream.makeStream(of: Void.self)
    let writing = Task {
      try await source.write(to: url, encoding: .wavFloat, atomically: isAtomic) { _ in
        note.yield()
      }
    }
    feed.yield(buffer(16_000, at: 0))
    for await _ in written { break }
    writing.cancel()
    await #expect(throws: CancellationError.self) { try await writing.value }
    try check(url, isAtomic: isAtomic, in: folder)
  }

  @Test(arguments: [true, false])
  func `a write that is canceled during a long gap throws`(isAtomic: Bool) async throws {
    let folder = try TestFolder()
    let url = folder.file("a.wav")
    let buffers = Buffers([buffer(16_000, at: 0), buffer(10, at: 100_000_000)])
    let writing = Task {
      try await buffers.write(to: url, encoding: .wavFloat, atomically: isAtomic) { _ in
        withUnsafeCurrentTask { $0?.cancel() }
      }
    }
    await #expect(throws: CancellationError.self) { try await writing.value }
    try check(url, isAtomic: isAtomic, in: folder)
  }

  @Test(arguments: [true, false])
  func `after an error, an atomic write keeps the old file, and any other write keeps the audio`(
    isAtomic: Bool
  ) async throws {
    let folder = try TestFolder()
    let url = folder.file("a.wav")
    let first = buffer(16_000, at: 0)
    let stream = AsyncThrowingStream<AudioBuffer, any Error> { continuation in
      continuation.yield(first)
      continuation.finish(throwing: Failure())
    }
    await #expect(throws: Failure.self) {
      try await stream.write(to: url, encoding: .wavFloat, atomically: isAtomic)
    }
    try check(url, isAtomic: isAtomic, in: folder)
  }

  @Test func `a block is written, and a canceled task throws and writes no file`() async throws {
    let folder = try TestFolder()
    let url = folder.file("a.wav")
    let block = buffer(1_600, at: 48_000)
    try await block.write(to: url, encoding: .wavFloat, atomically: true)
    #expect(try everything(url) == block.samples)
    let other = folder.file("b.wav")
    let writing = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await block.write(to: other, encoding: .wavFloat, atomically: true)
    }
    await #expect(throws: CancellationError.self) { try await writing.value }
    #expect(try folder.names == ["a.wav"])
  }

  @Test func `a failed replacement leaves the old file unchanged`() async throws {
    let folder = try TestFolder()
    let url = folder.file("a.wav")
    try await Buffers([buffer(10, at: 0)]).write(to: url, encoding: .wavFloat, atomically: true)
    let buffers = Buffers([buffer(16_000, at: 0), AudioBuffer(silence: 5, format: cd)])
    await #expect(throws: SoundFileError.wrongFormat(expected: .speech, actual: cd)) {
      try await buffers.write(to: url, encoding: .wavFloat, atomically: true)
    }
    #expect(try everything(url).count == 10)
  }

  /// Checks that an atomic write has left no file, and that any other write has kept one second.
  private func check(_ url: URL, isAtomic: Bool, in folder: TestFolder) throws {
    if isAtomic {
      let names = try FileManager.default.contentsOfDirectory(
        atPath: url.deletingLastPathComponent().path)
      #expect(names == [])
    } else {
      #expect(try everything(url).count == 16_000)
    }
  }
}

/// A sequence of these buffers.
private struct Buffers: AsyncSequence, AsyncIteratorProtocol, Sendable {
  private var rest: ArraySlice<AudioBuffer>

  init(_ buffers: [AudioBuffer]) { rest = buffers[...] }

  func makeAsyncIterator() -> Buffers { self }

  mutating func next() async -> AudioBuffer? { rest.popFirst() }
}
