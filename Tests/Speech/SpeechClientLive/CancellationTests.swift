import AudioCore
import AudioThreads
import SpeechClient
import SpeechEngine
import Synchronization
import SyrinxTestSupport
import Testing

@testable import SpeechClientLive

/// Canceling a task in any state releases the engine and its thread.
@Suite struct CancellationTests {
  private let tasks = SpeechTasks()
  private let scripted = ScriptedSpeechEngine(utterances: [ScriptedUtterance("go forward")])
  private let source = AsyncStream.makeStream(of: AudioBuffer.self)

  private typealias Results = AsyncThrowingStream<SpeechRecognitionResult, any Error>

  private func start() -> (Results, DedicatedThread?) {
    let results = tasks.start(SpeechRequest(buffers: source.stream), on: scripted.engine)
    return (results, tasks.all.first?.recognizer?.executor.thread)
  }

  /// Reads results up to the first final result, and then releases the stream.
  private func firstFinal(of results: Results) -> Task<Int?, any Error> {
    Task {
      for try await result in results where result.isFinal { return result.utterance }
      return nil
    }
  }

  private func consume(_ results: Results) -> Task<Int, any Error> {
    Task { try await results.all().count }
  }

  @Test func `canceling ends the task before any audio arrives`() async throws {
    let (results, thread) = start()
    let consumer = consume(results)
    await scripted.waitUntil(.madeSession)
    consumer.cancel()
    _ = try await consumer.value
    await scripted.waitUntil(.released)
    await thread?.join()
    #expect(tasks.all.isEmpty)
  }

  @Test func `canceling ends the task at once while the model loads`() async throws {
    let (results, thread) = start()
    let consumer = consume(results)
    consumer.cancel()
    #expect(try await consumer.value == 0)
    await thread?.join()
    #expect(tasks.all.isEmpty)
  }

  @Test func `canceling ends the task in the middle of an utterance`() async throws {
    let (results, thread) = start()
    let consumer = consume(results)
    for buffer in audio(utterances: 1).prefix(14) { source.continuation.yield(buffer) }
    await scripted.waitUntil(.began)
    consumer.cancel()
    _ = try await consumer.value
    await scripted.waitUntil(.released)
    await thread?.join()
    #expect(!scripted.events.contains { if case .finished = $0 { true } else { false } })
  }

  @Test func `canceling ends the task between utterances`() async throws {
    for buffer in audio(utterances: 1) { source.continuation.yield(buffer) }
    let (consumer, thread) = {
      let (results, thread) = start()
      return (firstFinal(of: results), thread)
    }()
    #expect(try await consumer.value == 0)
    await scripted.waitUntil(.released)
    await thread?.join()
  }

  @Test func `releasing an unread stream of results ends the task`() async throws {
    var thread: DedicatedThread?
    do {
      let (results, its) = start()
      _ = results
      thread = its
      await scripted.waitUntil(.madeSession)
    }
    await scripted.waitUntil(.released)
    await thread?.join()
    #expect(tasks.all.isEmpty)
  }

  @Test func `canceling ends the task while the results wait for a slow consumer`() async throws {
    let many = ScriptedSpeechEngine(utterances: (0..<40).map { ScriptedUtterance("word \($0)") })
    let results = tasks.start(
      SpeechRequest(buffers: stream(audio(utterances: 40)), shouldReportPartialResults: false),
      on: many.engine)
    let thread = tasks.all.first?.recognizer?.executor.thread
    var iterator = results.makeAsyncIterator()
    _ = try await iterator.next()
    let task = try #require(tasks.all.first)
    task.events.change { $0.abandon() }
    await many.waitUntil(.released)
    await thread?.join()
    #expect(try await iterator.next() == nil)
  }

  @Test func `canceling ends the task even if the source ignores the cancellation`() async throws {
    let stubborn = StubbornSource()
    let results = tasks.start(SpeechRequest(buffers: stubborn), on: scripted.engine)
    let thread = tasks.all.first?.recognizer?.executor.thread
    let consumer = consume(results)
    await scripted.waitUntil(.madeSession)
    consumer.cancel()
    #expect(try await consumer.value == 0)
    await scripted.waitUntil(.released)
    await thread?.join()
    stubborn.release()
  }
}
