import AudioCore
import AudioThreads
import ClientDependencies
import SpeechClient
import SpeechEngine
import SyrinxTestSupport
import Testing

@testable import SpeechClientLive

/// With two decoders, canceling a task in any state releases the source, the sessions, and the
/// threads.
@Suite(.timeLimit(.minutes(5))) final class ParallelCancellationTests {
  private let tasks = SpeechTasks()
  private let shared = SharedEngine()
  /// The source's stream; once the task has started, only the task retains the stream.
  private var buffers: AsyncStream<AudioBuffer>?
  private let source: AsyncStream<AudioBuffer>.Continuation
  /// Open once the source's stream has ended or been released.
  private let closed = Gate()

  private typealias Events = AsyncThrowingStream<SpeechRecognitionEvent, any Error>

  init() {
    let (buffers, source) = AsyncStream.makeStream(of: AudioBuffer.self)
    (self.buffers, self.source) = (buffers, source)
    source.onTermination = { [closed] _ in closed.open() }
  }

  private func start() throws -> (Events, DedicatedThread?) {
    let taken = buffers.take()
    return start(try #require(taken))
  }

  private func start(
    _ buffers: some AsyncSequence<AudioBuffer, Never> & Sendable
  ) -> (Events, DedicatedThread?) {
    var request = SpeechRequest(buffers: buffers, shouldReportPartialResults: false)
    request.jobCount = 2
    let events = withDependencies {
      $0.speechEngine = shared.engine
    } operation: {
      tasks.events(of: request)
    }
    return (events, tasks.all.first?.recognizer?.executor.thread)
  }

  /// Waits until the task has released its thread and its sessions.
  private func end(of thread: DedicatedThread?) async {
    await thread?.join()
    await shared.hasNoSessions()
    #expect(tasks.all.isEmpty)
  }

  /// Returns a task that reads events until the task is canceled, or up to the first result; opens
  /// `begun` at the first event.
  private func consume(
    _ events: Events, upToResult: Bool = false, begun: Gate = Gate()
  ) -> Task<Int, any Error> {
    Task {
      var count = 0
      for try await event in events {
        count += 1
        begun.open()
        if upToResult, case .result = event { break }
      }
      return count
    }
  }

  @Test func `canceling ends the task before any audio arrives`() async throws {
    let (events, thread) = try start()
    let consumer = consume(events)
    await shared.hasMade(sessions: 1)
    consumer.cancel()
    #expect(try await consumer.value == 0)
    await closed.wait()
    await end(of: thread)
  }

  @Test func `canceling ends the task at once while the model loads`() async throws {
    let (events, thread) = try start()
    let consumer = consume(events)
    consumer.cancel()
    #expect(try await consumer.value == 0)
    await closed.wait()
    await end(of: thread)
  }

  @Test func `canceling ends the task in the middle of an utterance`() async throws {
    let (events, thread) = try start()
    let begun = Gate()
    let consumer = consume(events, begun: begun)
    for buffer in audio(utterances: 1).prefix(14) { source.yield(buffer) }
    await begun.wait()
    consumer.cancel()
    #expect(try await consumer.value == 1)
    await closed.wait()
    await end(of: thread)
    // One session was made to check the engine; nothing was recognized.
    #expect(shared.counts.made == 1)
  }

  @Test func `canceling ends the task between utterances`() async throws {
    for buffer in audio(utterances: 1) { source.yield(buffer) }
    let (consumer, thread) = try {
      let (events, thread) = try start()
      return (consume(events, upToResult: true), thread)
    }()
    #expect(try await consumer.value == 2)
    await closed.wait()
    await end(of: thread)
  }

  @Test func `releasing an unread stream of results ends the task`() async throws {
    var thread: DedicatedThread?
    do {
      let (events, its) = try start()
      _ = events
      thread = its
      await shared.hasMade(sessions: 1)
    }
    await closed.wait()
    await end(of: thread)
  }

  @Test func `canceling ends the task while a slow consumer holds up the decoder threads`()
    async throws
  {
    for buffer in audio(utterances: 40) { source.yield(buffer) }
    let (events, thread) = try start()
    var iterator = events.makeAsyncIterator()
    #expect(try await iterator.next() == .speechStarted(at: .seconds(1)))
    let task = try #require(tasks.all.first)
    task.events.change { $0.abandon() }
    await closed.wait()
    await end(of: thread)
    #expect(try await iterator.next() == nil)
  }

  @Test func `canceling ends the task even if the source ignores the cancellation`() async throws {
    let stubborn = StubbornSource()
    defer { stubborn.release() }
    let (events, thread) = start(stubborn)
    let consumer = consume(events)
    await shared.hasMade(sessions: 1)
    await stubborn.isAsked.wait()
    consumer.cancel()
    #expect(try await consumer.value == 0)
    await end(of: thread)
  }
}
