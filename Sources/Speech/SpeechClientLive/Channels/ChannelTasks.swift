import AudioCore
import AudioThreads
import SpeechClient
import SpeechEngine
import Synchronization

/// Recognizes the channels of a request separately: one reader divides the audio among a task for
/// each channel, and their events are merged.
///
/// When the audio of one task ends, or a task fails, the audio of all other tasks ends, too.
final class ChannelTasks: Sendable {
  /// Makes the task of a channel and its recognizer, which runs on the executor.
  typealias Maker =
    @Sendable (ChannelTasks, ThreadExecutor, EventPipe) throws -> (SpeechTask, Recognizer)

  private struct State {
    var merger = ChannelMerger()
    /// The tasks by channel, counted from 0; empty after the end.
    var tasks: [Int: SpeechTask] = [:]
    var executors: [ThreadExecutor] = []
    var reader: Task<Void, Never>?
    /// The number of tasks whose events have not ended.
    var openCount = 0
    /// Whether a task has ended, so that no other task may begin.
    var isEnding = false
    var failure: (any Error)?

    mutating func add(_ task: SpeechTask, of channel: Int, from start: Duration) {
      merger.join(channel, from: start)
      tasks[channel] = task
      openCount += 1
    }
  }

  private let events: EventPipe
  private let threadLimit: Int
  private let lockstep: Lockstep?
  private let make: Maker
  private let over = Gate()
  // The lock is held while merged events enter their pipe, so that they keep their order.
  private let state = Mutex(State())

  /// - Parameters:
  ///   - events: the pipe for the merged events.
  ///   - threadLimit: the number of channels that are recognized at the same time, at least 1.
  ///   - lockstep: the clock of a virtual sound card.
  ///   - make: makes the task of a channel.
  init(
    into events: EventPipe, threadLimit: Int, lockstep: Lockstep?, make: @escaping Maker
  ) {
    (self.events, self.threadLimit, self.lockstep) = (events, threadLimit, lockstep)
    self.make = make
  }

  /// Starts to recognize the audio.
  ///
  /// - Throws: the error of the first channel's recognizer.
  func start(_ audio: SpeechTask.Audio) throws {
    let first = try makeTask()
    let reader = state.withLock { state in
      state.add(first.task, of: 0, from: .zero)
      let reader = Task { await self.read(audio) }
      state.reader = reader
      return reader
    }
    run(first, of: 0, fedBy: reader)
    events.onTermination { self.abandon() }
  }

  /// Lets the tasks report their last results even if no consumer reads the events.
  func liftLimit() {
    events.change { $0.liftLimit() }
  }

  /// Returns when the last result is ready for the consumer.
  func untilOver() async {
    await over.wait()
  }

  private typealias NewTask = (task: SpeechTask, recognizer: Recognizer, events: EventPipe)

  private func makeTask() throws -> NewTask {
    let executor = try state.withLock { state in
      let count = state.openCount
      if state.executors.count < threadLimit {
        state.executors.append(try ThreadExecutor(name: "syrinx-speech"))
      }
      return state.executors[count % state.executors.count]
    }
    let pipe = EventPipe(policy: .events(), hold: TimeHold(lockstep, "the events of a channel"))
    let (task, recognizer) = try make(self, executor, pipe)
    return (task, recognizer, pipe)
  }

  private func run(_ new: NewTask, of channel: Int, fedBy reader: Task<Void, Never>) {
    new.task.start(new.recognizer, fedBy: reader)
    Task { await forward(new.events, of: channel) }
  }

  /// Divides the audio among the tasks; the slowest task sets the pace.
  private func read(_ audio: SpeechTask.Audio) async {
    var splitter = ChannelSplitter()
    var failure: (any Error)?
    do {
      for try await buffer in audio {
        for part in try splitter.split(buffer) { try add(part) }
        for task in tasks { guard await task.intake.room() else { return } }
      }
    } catch {
      // A `CancellationError` only means that a task canceled the reader.
      failure = error is CancellationError && Task.isCancelled ? nil : error
    }
    for task in tasks { task.intake.change { $0.close(failure) } }
  }

  /// Passes audio to the task of its channel, which begins with its first audio.
  private func add(_ part: ChannelSplitter.Part) throws {
    let known = state.withLock { $0.tasks[part.channel] }
    guard let task = try known ?? begin(part) else { return }
    for buffer in part.buffers { task.intake.change { $0.add(buffer) } }
  }

  /// Starts the task of a channel; returns nil if the audio of another task has ended.
  private func begin(_ part: ChannelSplitter.Part) throws -> SpeechTask? {
    let (new, first) = (try makeTask(), part.buffers[0])
    let start = first.firstFrame.duration(at: first.format.sampleRate)
    let reader = state.withLock { state -> Task<Void, Never>? in
      guard !state.isEnding else { return nil }
      state.add(new.task, of: part.channel, from: start)
      return state.reader
    }
    guard let reader else {
      new.events.change { $0.abandon() }
      return nil
    }
    run(new, of: part.channel, fedBy: reader)
    return new.task
  }

  private var tasks: [SpeechTask] { state.withLock { Array($0.tasks.values) } }

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
    pipe.releaseTime()
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
      state.isEnding = true
      state.openCount -= 1
      state.failure = state.failure ?? failure
      defer { if state.openCount == 0 { (state.tasks, state.executors) = ([:], []) } }
      return (Array(state.tasks.values), state.openCount == 0, state.failure)
    }
    for task in others { task.intake.change { $0.close() } }
    guard isLast else { return }
    events.finish(throwing: error)
    over.open()
  }

  /// Ends the work at once, because the consumer has left.
  private func abandon() {
    for task in tasks { task.events.change { $0.abandon() } }
  }
}
