import AudioCore
import AudioThreads
import SpeechClient
import SpeechEngine
import Synchronization

/// A recognition that `finishAll` ends: a task, or the tasks of several channels.
protocol RunningRecognition: AnyObject, Sendable {
  /// Whether the recognition has ended, for any reason.
  var isOver: Bool { get }
  /// The tasks that recognize the audio.
  var tasks: [SpeechTask] { get }
  /// Ends the recognition as if its audio ended now; returns when the last result is ready for the
  /// consumer.
  func finish() async
}

/// A running recognition: a reader moves audio into an intake, a recognizer reads the intake, and a
/// pipe holds the events.
///
/// It is over when the audio has ended, a failure has occurred, or its results are no longer
/// needed. Then the recognizer, its engine, and its thread are released, even if the audio's source
/// retains the reader.
final class SpeechTask: RunningRecognition {
  typealias Audio = any AsyncSequence<AudioBuffer, any Error> & Sendable

  let events: EventPipe
  let intake: StreamPipe<IntakeQueue>
  /// Counts the steps of recognition, and interrupts the engine's calls when the task is over.
  let control: TaskControl
  /// The time between two checks of the progress of a finishing task.
  static let watchInterval = Duration.seconds(1)
  /// Whether the source delivers no audio; nil if an empty intake proves it.
  private let isStarved: (@Sendable () -> Bool)?
  private let over = Gate()
  private let clock: any Clock<Duration>
  private let whenOver: @Sendable (SpeechTask) -> Void
  // The lock is held to read and change the state, never during recognition.
  private let state = Mutex<(recognizer: Recognizer?, reader: Task<Void, Never>?, isOver: Bool)>(
    (nil, nil, false))

  init(
    _ backPressure: SpeechRequest.BackPressure, events: EventPipe, clock: any Clock<Duration>,
    lockstep: Lockstep? = nil, control: TaskControl = TaskControl(),
    whenOver: @escaping @Sendable (SpeechTask) -> Void = { _ in },
    isStarved: (@Sendable () -> Bool)? = nil
  ) {
    // The clock of a virtual sound card does not advance until the recognizer waits for more audio.
    let hold = TimeHold(lockstep, "a recognizer")
    hold?.begin()
    intake = StreamPipe(IntakeQueue(backPressure) { events.send(.lagging(by: $0)) }, hold: hold)
    (self.events, self.clock, self.control) = (events, clock, control)
    (self.isStarved, self.whenOver) = (isStarved, whenOver)
    // This closure retains the task. The pipe releases the closure when the pipe closes.
    events.onTermination { self.release() }
  }

  /// The recognizer; nil before the start and after the end of the task.
  var recognizer: Recognizer? { state.withLock { $0.recognizer } }

  /// Whether the task has ended, for any reason.
  var isOver: Bool { state.withLock { $0.isOver } }

  var tasks: [SpeechTask] { [self] }

  /// Starts to move audio to the recognizer.
  func start(_ audio: Audio, recognizer: Recognizer) {
    start(recognizer, fedBy: Task { [intake] in await Self.read(audio, into: intake) })
  }

  /// Starts a recognizer with the audio in the intake; the task cancels its reader when it is over.
  ///
  /// Without a reader, the caller adds the audio.
  func start(_ recognizer: Recognizer, fedBy reader: Task<Void, Never>? = nil) {
    state.withLock { ($0.recognizer, $0.reader) = (recognizer, reader) }
    Task { [weak self, intake, control] in
      let failure = await Self.recognize(intake, control) { self }
      await self?.complete(failure)
    }
  }

  /// Ends the task as if its audio ended now; returns when the last result is ready for the
  /// consumer.
  ///
  /// A source or an engine that makes no progress is abandoned.
  func finish() async {
    events.change { $0.liftLimit() }
    intake.change { $0.finish() }
    state.withLock { $0.reader }?.cancel()
    let watch = Task { await keepWatch() }
    await over.wait()
    watch.cancel()
  }

  /// Ends a task that could not start or makes no progress.
  func fail(_ error: any Error) {
    end(throwing: SpeechClientError.mapped(error))
  }

  /// Moves audio into the intake until the source ends or the task needs no more audio.
  ///
  /// This method holds no reference to the task, so the task can end even if the source does not.
  private static func read(_ audio: Audio, into intake: StreamPipe<IntakeQueue>) async {
    do {
      for try await buffer in audio {
        intake.change { $0.add(buffer) }
        guard await intake.room() else { return }
      }
      intake.change { $0.close() }
    } catch {
      // A `CancellationError` only means that `finish` or `release` canceled the reader.
      let failure = error is CancellationError && Task.isCancelled ? nil : error
      intake.change { $0.close(failure) }
    }
  }

  /// Runs the recognizer until the audio ends or the task is over; returns the failure, if any.
  private static func recognize(
    _ intake: StreamPipe<IntakeQueue>, _ control: TaskControl, for task: () -> SpeechTask?
  ) async -> (any Error)? {
    do {
      try await task()?.recognizer?.prepare()
      while let item = try await intake.next() {
        control.countStep()
        guard let recognizer = task()?.recognizer else { return nil }
        try await recognizer.add(item) { intake.inspect(\.holdsBack) }
        if let events = task()?.events {
          // If the pipe is full, its consumer may be waiting for the virtual time to advance. This
          // task must then let the time advance.
          if !events.inspect(\.hasRoom) { intake.releaseTime() }
          _ = await events.room()
        }
      }
      return nil
    } catch {
      return error
    }
  }

  private func complete(_ failure: (any Error)?) async {
    events.change { $0.liftLimit() }
    var failure = failure
    do {
      try await recognizer?.finish()
    } catch {
      failure = failure ?? error
    }
    end(throwing: failure.map(SpeechClientError.mapped))
  }

  /// Ends the events and the task.
  private func end(throwing failure: (any Error)?) {
    // The task is unregistered first, so that a consumer that has seen the end of the stream no
    // longer finds it among the running tasks.
    state.withLock { $0.isOver = true }
    whenOver(self)
    // The stream ends before `release` makes the engine's call fail as well, so only the first
    // failure is reported.
    events.finish(throwing: failure)
    release()
  }

  /// Watches the task until it is over.
  ///
  /// A source that delivers no audio for a second is abandoned. If an engine makes no progress for
  /// half a minute, the task fails.
  private func keepWatch() async {
    let limit = Duration.seconds(30)
    var watch = StallWatch(lateAfter: limit, limit: limit, startLimit: limit)
    var steps = control.stepCount
    while !isOver, (try? await clock.sleep(for: Self.watchInterval)) != nil {
      let newSteps = control.stepCount
      guard newSteps == steps else {
        steps = newSteps
        watch.progressed()
        continue
      }
      watch.waited(Self.watchInterval, atMost: Self.watchInterval)
      if isStarved?() ?? intake.isAwaited {
        intake.change { $0.close() }
      } else if watch.verdict == .stalled {
        fail(SpeechEngineError.failed(reason: "the engine has made no progress for 30 seconds"))
      }
    }
  }

  private func release() {
    let reader = state.withLock { state in
      (state.recognizer, state.isOver) = (nil, true)
      return state.reader
    }
    control.interrupt()
    reader?.cancel()
    intake.change { $0.abandon() }
    // `whenOver` unregisters the task before waiting callers resume. If the task has not been
    // registered yet, it never will be, because `isOver` is true.
    whenOver(self)
    over.open()
  }
}
