import AudioCore
import AudioThreads
import SpeechClient
import SpeechEngine
import Synchronization

/// Recognizes the channels of a request separately: one reader divides the audio among a task for
/// each channel, and their events are merged.
///
/// When the audio of one task ends, or a task fails, the audio of all other tasks ends, too.
final class ChannelTasks: RunningRecognition {
  private struct State {
    var merger: ChannelMerger
    /// Nil after the end, so that the engine is released even if the source retains the reader.
    var makeRecognizer: RecognizerMaker?
    /// The tasks by channel, counted from 0; empty after the end.
    var tasks: [Int: SpeechTask] = [:]
    var executors: [ThreadExecutor] = []
    var reader: Task<Void, Never>?
    /// The number of tasks whose events have not ended.
    var openCount = 0
    /// Whether no other task may begin.
    var isEnding = false
    var isFinishing = false
    var isOver = false
    var failure: (any Error)?

    /// Ends the audio; no other task may begin.
    mutating func endAudio() {
      (isEnding, makeRecognizer) = (true, nil)
      reader?.cancel()
    }

    /// Ends the audio if no task has begun; returns false otherwise.
    mutating func endUnused() -> Bool {
      guard tasks.isEmpty, !isEnding else { return false }
      endAudio()
      return true
    }
  }

  private let events: EventPipe
  private let backPressure: SpeechRequest.BackPressure
  private let isLive: Bool
  /// The maximum number of decoders of all channels.
  private let decoderCount: Int
  /// The maximum number of threads; further channels share them.
  private let threadLimit: Int
  private let clock: any Clock<Duration>
  private let lockstep: Lockstep?
  /// The steps of all channels: a task is stuck only if no channel makes progress.
  private let steps = StepCounter()
  private let whenOver: @Sendable (ChannelTasks) -> Void
  private let over = Gate()
  // The lock is held while merged events enter their pipe, so that they keep their order.
  private let state: Mutex<State>

  /// - Parameters:
  ///   - request: the request for all channels.
  ///   - events: the pipe for the merged events.
  ///   - clock: measures how long a finishing task makes no progress.
  ///   - lockstep: the clock of a virtual sound card.
  ///   - makeRecognizer: makes the recognizer of a channel.
  ///   - whenOver: called when the recognition is over.
  init(
    _ request: SpeechRequest, into events: EventPipe, clock: any Clock<Duration>,
    lockstep: Lockstep?, makeRecognizer: @escaping RecognizerMaker,
    whenOver: @escaping @Sendable (ChannelTasks) -> Void
  ) {
    (self.events, self.clock, self.lockstep) = (events, clock, lockstep)
    (backPressure, isLive) = (request.effectiveBackPressure, request.mayBeLive)
    decoderCount = request.decoderCount
    threadLimit = request.mayBeLive ? .max : request.decoderCount
    self.whenOver = whenOver
    state = Mutex(
      State(
        merger: ChannelMerger(longestWait: request.longestWait), makeRecognizer: makeRecognizer))
  }

  /// Starts to recognize the audio.
  ///
  /// - Throws: the error of the first channel's recognizer, if the audio is live.
  func start(_ audio: SpeechTask.Audio) throws {
    events.onTermination { self.abandon() }
    // The model is loaded while a live source opens. The first task of a file begins with the
    // audio, whose number of channels determines the number of decoders.
    if isLive { try begin(0, of: 1, from: .zero) }
    state.withLock { state in
      let reader = Task { await self.read(audio) }
      state.reader = reader
      // The consumer may have left before.
      if state.isEnding { reader.cancel() }
    }
  }

  /// Ends all tasks as if their audio ended now; returns when the last result is ready for the
  /// consumer.
  func finish() async {
    events.change { $0.liftLimit() }
    let (tasks, isUnused) = state.withLock { state in
      state.isFinishing = true
      state.reader?.cancel()
      return (Array(state.tasks.values), state.endUnused())
    }
    if isUnused { complete(throwing: nil) }
    for task in tasks { Task { await task.finish() } }
    await over.wait()
  }

  /// Whether the recognition has ended, for any reason.
  var isOver: Bool { state.withLock { $0.isOver } }

  var tasks: [SpeechTask] { state.withLock { Array($0.tasks.values) } }

  /// Divides the audio among the tasks; the slowest task sets the pace.
  private func read(_ audio: SpeechTask.Audio) async {
    var splitter = ChannelSplitter()
    var failure: (any Error)?
    do {
      for try await buffer in audio {
        for part in try splitter.split(buffer) { try add(part, of: splitter.channelCount) }
        for task in tasks { guard await task.intake.room() else { return } }
      }
    } catch {
      // A `CancellationError` only means that the reader was canceled.
      failure = error is CancellationError && Task.isCancelled ? nil : error
    }
    for task in tasks { task.intake.change { $0.close(failure) } }
    if state.withLock({ $0.endUnused() }) { complete(throwing: failure) }
  }

  /// Passes audio to its channel's task, which the first audio starts.
  private func add(_ part: ChannelSplitter.Part, of channelCount: Int) throws {
    let known = state.withLock { state in
      state.merger.channelCount = channelCount
      return state.tasks[part.channel]
    }
    let start = part.buffer.firstFrame.duration(at: part.buffer.format.sampleRate)
    let task = try known ?? begin(part.channel, of: channelCount, from: start)
    task?.intake.change { $0.add(part.buffer) }
  }

  /// Starts the task of a channel; returns nil if the audio has ended or the consumer has left.
  @discardableResult
  private func begin(
    _ channel: Int, of channelCount: Int, from start: Duration
  ) throws -> SpeechTask? {
    let parts = try state.withLock { state -> (RecognizerMaker, ThreadExecutor)? in
      guard let makeRecognizer = state.makeRecognizer else { return nil }
      if state.executors.count < threadLimit {
        state.executors.append(try ThreadExecutor(name: "syrinx-speech"))
      }
      return (makeRecognizer, state.executors[state.openCount % state.executors.count])
    }
    guard let (makeRecognizer, executor) = parts else { return nil }
    let pipe = EventPipe(policy: .events(), hold: TimeHold(lockstep, "the events of a channel"))
    let task = SpeechTask(
      backPressure, events: pipe, clock: clock, lockstep: lockstep,
      control: TaskControl(steps: steps), isStarved: { [weak self] in self?.isStarved ?? true })
    let recognizer = try makeRecognizer(task, max(1, decoderCount / channelCount), executor)
    let (isWanted, isFinishing) = state.withLock { [events] state in
      guard !state.isEnding, !events.inspect(\.isClosed) else { return (false, false) }
      state.merger.join(channel, from: start)
      state.tasks[channel] = task
      state.openCount += 1
      return (true, state.isFinishing)
    }
    guard isWanted else {
      pipe.change { $0.abandon() }
      return nil
    }
    task.start(recognizer)
    if isFinishing { Task { await task.finish() } }
    Task { await forward(pipe, of: channel) }
    return task
  }

  /// Whether all tasks wait for audio.
  private var isStarved: Bool { tasks.allSatisfy(\.intake.isAwaited) }

  /// Merges the events of a channel with those of the others, until they end.
  private func forward(_ pipe: EventPipe, of channel: Int) async {
    var failure: (any Error)?
    do {
      while let event = try await pipe.next() {
        report { $0.add(event, from: channel) }
        // The consumer may be waiting for the virtual time to advance.
        if !events.inspect(\.hasRoom) { pipe.releaseTime() }
        guard await events.room() else { break }
      }
    } catch {
      failure = error
    }
    // If the consumer has left, the task must not wait for room in its pipe.
    pipe.change { $0.abandon() }
    end(channel, throwing: failure)
  }

  private func report(_ events: (inout ChannelMerger) -> [SpeechRecognitionEvent]) {
    state.withLock { state in
      for event in events(&state.merger) { self.events.send(event) }
    }
  }

  /// Ends a channel, and the audio of the others; the last channel ends the merged events.
  private func end(_ channel: Int, throwing failure: (any Error)?) {
    report { $0.end(channel) }
    let (others, isLast, error) = state.withLock { state in
      state.endAudio()
      state.openCount -= 1
      state.failure = state.failure ?? failure
      return (Array(state.tasks.values), state.openCount == 0, state.failure)
    }
    for task in others { task.intake.change { $0.close() } }
    if isLast { complete(throwing: error) }
  }

  /// Ends the merged events.
  private func complete(throwing error: (any Error)?) {
    release()
    events.finish(throwing: error.map(SpeechClientError.mapped))
    over.open()
  }

  /// Ends the work at once, because the consumer has left.
  private func abandon() {
    for task in release() { task.events.change { $0.abandon() } }
    over.open()
  }

  /// Unregisters the recognition, and returns its tasks.
  @discardableResult
  private func release() -> [SpeechTask] {
    let tasks = state.withLock { state in
      defer { (state.tasks, state.executors, state.isOver) = ([:], [], true) }
      state.endAudio()
      return Array(state.tasks.values)
    }
    whenOver(self)
    return tasks
  }
}
