import AudioCore
import AudioRecorderClient
import AudioThreads
import ClientDependencies
import FilePaths
import Foundation
import SoundFile
import SpeechClient

/// Writes a recording line by line on its own thread; the first line creates the file.
actor RecordingJournal {
  private let executor: ThreadExecutor
  private let url: URL
  private let header: RecordedHeader
  private let encoder: JSONEncoder
  private var handle: FileHandle?
  private var sounds: [Int: SoundFileWriter] = [:]
  private var taskCount = 0

  init(url: URL, header: RecordedHeader) throws {
    executor = try ThreadExecutor(name: "syrinx-journal")
    (self.url, self.header) = (url, header)
    encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
  }

  isolated deinit {
    sounds = [:]
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Returns the number of a new task.
  func begin() throws -> Int {
    if taskCount == 0 { try open() }
    defer { taskCount += 1 }
    return taskCount
  }

  func note(_ line: RecordedLine) throws {
    try append(line)
  }

  /// Records a block; its samples are appended to the task's WAV file.
  func note(_ captured: CapturedAudio, task: Int, ns: Int64) throws {
    let writer = try sounds[task] ?? sound(of: task, captured.buffer.format)
    try writer.write(captured.buffer)
    try append(RecordedLine(task: task, ns: ns, block: RecordedBlock(captured)))
  }

  /// Records the end of a task and closes its WAV file.
  func end(task: Int, ns: Int64, failure: (any Error)?) throws {
    try sounds.removeValue(forKey: task)?.close()
    let failed = failure.map(RecordedFailure.init)
    try append(
      RecordedLine(task: task, ns: ns, failed: failed, finished: failed == nil ? true : nil))
  }

  /// Completes and closes the WAV file of a task whose stream was released, perhaps before its end.
  private func release(_ task: Int) {
    sounds[task] = nil
  }

  private func sound(of task: Int, _ format: AudioFormat) throws -> SoundFileWriter {
    let writer = try SoundFileWriter(
      url: soundURL(of: task, beside: url), format: format, encoding: .wavFloat)
    sounds[task] = writer
    return writer
  }

  private func open() throws {
    try Data().write(to: url)
    handle = try FileHandle(forWritingTo: url)
    try append(header)
  }

  private func append(_ line: some Encodable) throws {
    try handle?.write(contentsOf: try encoder.encode(line) + Data("\n".utf8))
  }
}

/// Returns the WAV file of a task: for `talk.jsonl`, it is `talk-0.wav`, `talk-1.wav`, and so on,
/// in the same folder.
func soundURL(of task: Int, beside url: URL) -> URL {
  let path = FilePath(url)
  return path.folder.appending(FilePath("\(path.stem.text)-\(task).wav")).url
}

/// Returns the file that records the microphones of a speech recording: for `talk.jsonl`, it is
/// `talk-microphone.jsonl` in the same folder.
func microphoneURL(beside url: URL) -> URL {
  let path = FilePath(url)
  return path.folder.appending(FilePath("\(path.stem.text)-microphone.jsonl")).url
}

extension RecordingJournal {
  /// Returns the stream of a new task, recorded as it is consumed.
  ///
  /// The stream throws if the journal cannot be written.
  ///
  /// - Parameters:
  ///   - start: starts the stream of the task with this number.
  ///   - note: records an element with the nanoseconds since the task began.
  func recorded<Element: Sendable>(
    _ start: @Sendable (_ task: Int) async -> AsyncThrowingStream<Element, any Error>,
    note: @escaping @Sendable (_ element: Element, _ task: Int, _ ns: Int64) async throws -> Void
  ) async -> AsyncThrowingStream<Element, any Error> {
    @Dependency(\.continuousClock) var clock
    let stopwatch = Stopwatch(clock)
    do {
      let task = try begin()
      return RecordedStream.noting(await start(task)) { step in
        let ns = stopwatch.elapsed().inNanoseconds
        switch step {
        case .element(let element): try await note(element, task, ns)
        case .end(let error): try await self.end(task: task, ns: ns, failure: error)
        }
      } whenReleased: {
        Task { await self.release(task) }
      }
    } catch {
      return .finished(throwing: error)
    }
  }
}

/// A stream that is recorded while it is consumed; no element is buffered.
private final class RecordedStream<Element: Sendable>: @unchecked Sendable {
  enum Note {
    case element(Element)
    case end((any Error)?)
  }

  // `@unchecked Sendable` is safe because a stream has one consumer with one request at a time.
  private var iterator: AsyncThrowingStream<Element, any Error>.Iterator
  private let write: @Sendable (Note) async throws -> Void
  private let whenReleased: @Sendable () -> Void

  private init(
    _ stream: AsyncThrowingStream<Element, any Error>,
    write: @escaping @Sendable (Note) async throws -> Void,
    whenReleased: @escaping @Sendable () -> Void
  ) {
    iterator = stream.makeAsyncIterator()
    (self.write, self.whenReleased) = (write, whenReleased)
  }

  deinit {
    whenReleased()
  }

  /// Returns a stream of the same elements that passes each element to `write` before yielding it,
  /// and throws the errors of `write`, too.
  static func noting(
    _ stream: AsyncThrowingStream<Element, any Error>,
    write: @escaping @Sendable (Note) async throws -> Void,
    whenReleased: @escaping @Sendable () -> Void
  ) -> AsyncThrowingStream<Element, any Error> {
    let recorded = RecordedStream(stream, write: write, whenReleased: whenReleased)
    return AsyncThrowingStream { try await recorded.next() }
  }

  private func next() async throws -> Element? {
    let element: Element?
    do {
      element = try await iterator.next()
    } catch {
      // An error of this write is ignored, because the stream's own error is more useful.
      try? await write(.end(error))
      throw error
    }
    try await write(element.map(Note.element) ?? .end(nil))
    return element
  }
}
