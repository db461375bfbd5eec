import AudioCore
import AudioThreads
import FilePaths
import SpeechClient
import Synchronization

/// The recognition of one file: its request, progress, and problems.
final class FileRecognition: Sendable {
  let file: FilePath
  private let context: CommandContext
  private let problems = FileProblems()
  // The lock is held to add a buffer, to read the length, or to take the finished comparison; nil
  // for no comparison.
  private let audio: Mutex<(length: Duration, comparison: ChannelComparison?)>
  private let progress: FileProgress?

  init(
    _ file: FilePath, showsProgress: Bool, comparesChannels: Bool = false,
    in context: CommandContext
  ) async {
    (self.file, self.context) = (file, context)
    audio = Mutex((length: .zero, comparison: comparesChannels ? ChannelComparison() : nil))
    guard showsProgress, context.console.isWatched else {
      progress = nil
      return
    }
    progress = FileProgress(
      file, total: await file.announcedLength(), console: context.console)
  }

  func request(wantsPartials: Bool) -> SpeechRequest {
    let noted = file.buffers(problems: problems).map { [self] buffer in
      audio.withLock { audio in
        audio.length += buffer.duration
        audio.comparison?.add(buffer)
      }
      return buffer
    }
    var request = SpeechRequest(buffers: noted, shouldReportPartialResults: wantsPartials)
    request.endpointPolicy.joinsUtterances = true
    return request
  }

  /// The length of the audio read so far.
  var length: Duration { audio.withLock { $0.length } }

  /// Shows the progress from now on; the pace is measured from this moment.
  func beginProgress() async {
    await progress?.begin()
  }

  /// Updates the progress from an event.
  ///
  /// The progress follows recognition instead of reading, because reading is far ahead.
  func note(_ event: SpeechRecognitionEvent) async {
    await reportChannels(atEnd: false)
    guard let progress, let position = event.position else { return }
    await progress.show(position)
  }

  /// Reports the file's problems; returns false if any audio is missing.
  ///
  /// - Throws: `CommandFailure` if the file has no audio.
  func finish() async throws -> Bool {
    await progress?.end()
    await reportChannels(atEnd: true)
    for problem in problems.all { await context.console.report("\(problem)") }
    guard length > .zero else {
      throw CommandFailure("\(file) holds no audio")
    }
    return problems.isComplete
  }

  /// Writes a notice if the channels differ, once the first minute or the whole file is compared.
  private func reportChannels(atEnd: Bool) async {
    let compared = audio.withLock { audio in
      audio.comparison.map { $0.isComplete || atEnd } == true ? audio.comparison.take() : nil
    }
    guard compared?.differs == true else { return }
    await context.console.notify(
      "\(file): the channels differ. Use --channels separate if each has its own speaker")
  }
}

extension SpeechRecognitionEvent {
  /// The position up to which the audio is recognized or lost, if the event reports it.
  var position: Duration? {
    switch self {
    case .speechStarted(let time), .speechEnded(let time), .progressed(let time): time
    case .dropped(let range, _): range.upperBound
    default: nil
    }
  }
}

/// Recognizes files in order; some files are recognized before their results are read.
///
/// The number of files that are recognized at a time is limited, and so are the number of files
/// with unread results and the number of unread results per file. Memory therefore does not grow
/// with the number or length of files.
struct RecognitionQueue {
  /// A recognition that has been started.
  struct Entry: Sendable {
    let input: TranscriptionInput
    let recognition: FileRecognition
    var events: AsyncThrowingStream<SpeechRecognitionEvent, any Error>
  }

  /// The maximum number of unread events of a file, enough for a short file.
  fileprivate static let eventLimit = 64
  /// The maximum number of files with unread results, per job.
  private static let filesAhead = 4

  private typealias Entries = AsyncThrowingStream<Result<Entry, TranscriptionProblem>, any Error>

  private var entries: Entries.Iterator
  /// Each element permits the queue to start one more file.
  private let permits: AsyncStream<Void>.Continuation

  /// Creates a queue and its task, which starts to recognize each file.
  ///
  /// The task ends with the queue. Each file is started without waiting for the next name, because
  /// names may arrive slowly through a pipe.
  ///
  /// - Parameters:
  ///   - limit: the number of files to recognize at the same time, at least 1; with 1, no file is
  ///     recognized in advance.
  ///   - input: returns the next file; nil at the end.
  ///   - start: starts to recognize a file.
  init(
    limit: Int, input: @escaping @Sendable () async throws -> FoundInput?,
    start: @escaping @Sendable (TranscriptionInput) async -> Entry
  ) {
    let permitted = AsyncStream.makeStream(of: Void.self)
    permits = permitted.continuation
    for _ in 1..<(limit > 1 ? limit * Self.filesAhead : 1) { permits.yield() }
    let slots = AsyncStream.makeStream(of: Void.self)
    for _ in 0..<limit { slots.continuation.yield() }
    // The stream's buffer is unbounded, but the permits limit the number of buffered entries.
    let entries = Entries { entries in
      let starting = Task {
        do {
          var free = slots.stream.makeAsyncIterator()
          for await _ in permitted.stream {
            guard await free.next() != nil else { return }
            switch try await input() {
            case .success(let input):
              let entry = await start(input)
              // With a limit of 1, the events are not buffered, so that a new partial result can
              // replace an unread partial result.
              if limit == 1 { slots.continuation.yield() }
              entries.yield(
                .success(limit == 1 ? entry : entry.recognized { slots.continuation.yield() }))
            case .failure(let problem):
              slots.continuation.yield()
              entries.yield(.failure(problem))
            case nil: return entries.finish()
            }
          }
        } catch {
          entries.finish(throwing: error)
        }
      }
      entries.onTermination = { _ in starting.cancel() }
    }
    self.entries = entries.makeAsyncIterator()
  }

  /// Returns the next file in order, or nil at the end.
  ///
  /// Each call lets one more file start, so call this method only after the results of the previous
  /// file have been read.
  ///
  /// - Throws: the error of `input`, `CancellationError`.
  mutating func next() async throws -> Result<Entry, TranscriptionProblem>? {
    permits.yield()
    let next = try await entries.next()
    try Task.checkCancellation()
    return next
  }
}

extension RecognitionQueue.Entry {
  /// Returns the entry with buffered events; `whenDone` is called after the last event.
  fileprivate func recognized(_ whenDone: @escaping @Sendable () -> Void) -> Self {
    let pipe = PolicyPipe<SpeechRecognitionEvent>(
      policy: .keepingAll(limit: RecognitionQueue.eventLimit))
    let reading = Task { [events] in
      do {
        for try await event in events {
          pipe.send(event)
          guard await pipe.room() else { break }
        }
        pipe.finish()
      } catch {
        pipe.finish(throwing: error)
      }
      whenDone()
    }
    pipe.onTermination { reading.cancel() }
    var entry = self
    entry.events = pipe.stream()
    return entry
  }
}
