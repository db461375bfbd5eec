import AudioCore
import ClientDependencies
public import FoundationEssentials
import Synchronization

extension AudioRecorderClient {
  /// Begins a recording, and returns once the device captures.
  ///
  /// `startRecording` returns when the recording has ended. This function returns when the
  /// recording has begun. The recording ends when the request requires it, when
  /// `OngoingRecording.stop()` is called, or when the last reference is released; its file is then
  /// complete. Throws `AudioRecorderError` if the recording cannot begin. If the task is canceled,
  /// ends the recording and throws `CancellationError`.
  public func beginRecording(_ request: RecordingRequest) async throws -> OngoingRecording {
    var request = request
    let id = request.id ?? RecordingID()
    request.id = id
    let (starts, start) = AsyncThrowingStream.makeStream(of: Void.self)
    let recording = OngoingRecording(request, id: id, recorder: self, start: start)
    for try await _ in starts {}
    if Task.isCancelled { try await recording.cancel() }
    return recording
  }

  /// Begins a recording into a file; see `beginRecording(_:)`.
  public func beginRecording(url: URL) async throws -> OngoingRecording {
    try await beginRecording(RecordingRequest(url: url))
  }

  fileprivate func finish(
    of request: RecordingRequest, report: (RecordingEvent) async -> Void
  ) async throws -> RecordingFinish {
    for try await event in await recording(request) {
      await report(event)
      if case .finished(let finish) = event { return finish }
    }
    throw CancellationError()
  }
}

/// A recording in progress, which its owner stops, as with AVAudioRecorder.
///
/// `stop()` completes the file even in a canceled task. Releasing the recording also ends it;
/// `AudioRecorderClient.stopRecording` then returns when the file is complete.
public final class OngoingRecording: Sendable {
  /// The ID for `AudioRecorderClient.control`.
  public let id: RecordingID

  /// All events of the recording, from `started` to `finished`, for one consumer.
  ///
  /// If the consumer is slow, events are kept within the limits of `AudioRecorderClient.recording`.
  /// The stream throws the error that ended the recording. The recording continues when its
  /// consumer ends or is canceled. In lockstep, a virtual card's time stands still while the
  /// consumer handles an event.
  ///
  /// Get this property once: every later stream throws `AudioRecorderError.eventsInUse`, so that no
  /// consumer gets only a part of the events.
  public var events: AsyncThrowingStream<RecordingEvent, any Error> {
    guard !hasEventStream.exchange(true, ordering: .relaxed) else {
      return .finished(throwing: AudioRecorderError.eventsInUse(id))
    }
    return pipe.stream()
  }

  /// The newest levels, until the recording ends, for one consumer.
  ///
  /// A virtual card does not wait for this consumer.
  public let levels: AsyncStream<RecordingLevels>

  private let recorder: AudioRecorderClient
  private let pipe: PolicyPipe<RecordingEvent>
  private let hasEventStream = Atomic(false)
  private let work: Task<RecordingFinish, any Error>

  /// Starts a recording; finishes `start` when the recording has begun, or with an error if it
  /// cannot begin.
  fileprivate init(
    _ request: RecordingRequest, id: RecordingID, recorder: AudioRecorderClient,
    start: AsyncThrowingStream<Void, any Error>.Continuation
  ) {
    (self.id, self.recorder) = (id, recorder)
    let pipe = StreamPipe(PolicyQueue<RecordingEvent>(policy: .recording, isPaced: true))
    self.pipe = pipe
    let (levels, meter) = AsyncStream.makeStream(
      of: RecordingLevels.self, bufferingPolicy: .bufferingNewest(1))
    self.levels = levels
    work = Task {
      defer { meter.finish() }
      do {
        let finish = try await recorder.finish(of: request) { event in
          pipe.send(event)
          switch event {
          case .started: start.finish()
          case .levels(let levels): meter.yield(levels)
          default: break
          }
          // Do not request the next event until the consumer of `events` requests an event.
          _ = await pipe.room()
        }
        start.finish()
        pipe.finish()
        return finish
      } catch {
        start.finish(throwing: error)
        pipe.finish(throwing: error)
        throw error
      }
    }
  }

  deinit {
    pipe.change { $0.liftLimit() }
    work.cancel()
  }

  /// Ends a recording whose start was canceled; throws once its file is complete.
  fileprivate func cancel() async throws -> Never {
    work.cancel()
    _ = await work.result
    throw CancellationError()
  }

  /// Omits audio from the next block on, until `resume()`; the file continues without a gap.
  ///
  /// Throws `AudioRecorderError.unknownRecording` if the recording has ended.
  public func pause() async throws { try await recorder.control(id: id, command: .pause) }

  /// Continues after a pause.
  ///
  /// Throws `AudioRecorderError.unknownRecording` if the recording has ended.
  public func resume() async throws { try await recorder.control(id: id, command: .resume) }

  /// Ends the recording and returns when the file is closed and on disk.
  ///
  /// Once the recording has ended, every call returns the same result at once. Throws
  /// `AudioRecorderError` if an error ended the recording; the file keeps the audio until then.
  @discardableResult
  public func stop() async throws -> RecordingFinish {
    pipe.change { $0.liftLimit() }
    // `control` throws only if the recording has ended, and then the task has the result.
    try? await recorder.control(id: id, command: .stop)
    return try await work.value
  }
}

/// A command to a running recording.
///
/// A command takes effect with the device's next block, and an event reports it. Cases are added
/// over time: a `switch` needs a `default`.
public enum RecordingCommand: String, Hashable, Sendable, CaseIterable {
  /// Begins a waiting recording now, with its pre-roll.
  case start
  /// Omits audio from now on; after `resume` the file continues without a gap.
  case pause
  /// Continues after a pause.
  case resume
  /// Completes the file and continues in the next file without losing frames.
  case roll
  /// Ends the recording.
  case stop
}

/// The ID of a recording, for `control`.
public struct RecordingID: Hashable, Codable, Sendable {
  private static let lastNumber = Atomic<Int>(0)

  private let name: String
  /// Whether the caller chose the name.
  private let isChosen: Bool

  /// Creates an ID that is unique in this process.
  public init() {
    let number = Self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
    (name, isChosen) = ("recording \(number)", false)
  }

  /// Creates an ID from a name; concurrent recordings need different names.
  public init(_ name: String) {
    (self.name, isChosen) = (name, true)
  }
}

extension RecordingID: ExpressibleByStringLiteral {
  /// Creates an ID whose name is the literal.
  public init(stringLiteral value: String) {
    self.init(value)
  }
}

extension RecordingID: CustomStringConvertible {
  /// The name for users.
  public var description: String { name }
}
