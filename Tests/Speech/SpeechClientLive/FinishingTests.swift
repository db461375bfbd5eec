import AudioCore
import AudioRecorderClient
import AudioThreads
import ClientDependencies
import SpeechClient
import SpeechEngine
import Synchronization
import SyrinxTestSupport
import TestTools
import Testing

@testable import SpeechClientLive

/// Tests, with a test clock, that `finishTask` returns in bounded time in every state of a task.
@Suite(.timeLimit(.minutes(5))) struct FinishingTests {
  private let clock = TestClock()
  private let tasks: SpeechTasks
  private let stuck = SpeechClientError.engineFailed(
    reason: "the engine has made no progress for 30 seconds")

  init() {
    tasks = SpeechTasks(clock: clock)
  }

  /// Finishes all tasks while the clock advances for this many seconds.
  private func finish(within seconds: Int) async {
    let finishing = Task { await tasks.finishAll() }
    for _ in 0..<seconds {
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: SpeechTask.watchInterval)
    }
    await finishing.value
  }

  /// Waits until all delivered audio is recognized.
  private func listening() async {
    while let task = tasks.all.first, !task.intake.isAwaited { await Task.yield() }
  }

  @Test(arguments: [0, 12, 14, 20])
  func `finishing abandons a blocked source after waiting a second, and returns the last result`(
    given: Int
  ) async throws {
    let source = StubbornSource(Array(audio(utterances: 1).prefix(given)))
    defer { source.release() }
    let scripted = ScriptedSpeechEngine(utterances: [ScriptedUtterance("go")])
    let results = tasks.start(SpeechRequest(buffers: source), on: scripted.engine)
    await source.isAsked.wait()
    await listening()
    await finish(within: 1)
    // The buffers are 100 ms long, and the speech begins at 1 s.
    #expect(try await results.all().finals == (given > 10 ? ["go"] : []))
    #expect(tasks.all.isEmpty)
  }

  @Test
  func `with two decoders, a silent source is abandoned after the last result`() async throws {
    let source = StubbornSource(Array(audio(utterances: 1).prefix(14)))
    defer { source.release() }
    var request = SpeechRequest(buffers: source, shouldReportPartialResults: false)
    request.jobCount = 2
    let events = withDependencies {
      $0.speechEngine = SharedEngine().engine
    } operation: {
      tasks.events(of: request)
    }
    var iterator = events.makeAsyncIterator()
    #expect(try await iterator.next() == .speechStarted(at: .seconds(1)))
    await clock.pass { await tasks.finishAll() }
    guard case .result(let final) = try await iterator.next() else {
      Issue.record("the result is missing")
      return
    }
    #expect(final.isFinal && final.bestTranscription.segments.first?.substring == "0")
    #expect(tasks.all.isEmpty)
  }

  /// Starts a task on a microphone, with one decoder or two.
  private func listen(
    jobCount: Int,
    capture: @escaping @Sendable () async -> AsyncThrowingStream<CapturedAudio, any Error>
  ) -> AsyncThrowingStream<SpeechRecognitionResult, any Error> {
    var request = SpeechRequest(
      source: .microphone(.speech), shouldReportPartialResults: jobCount == 1)
    request.jobCount = jobCount
    return withDependencies {
      $0.speechEngine = SharedEngine().engine
      $0.audioRecorder.capture = { _ in await capture() }
    } operation: {
      tasks.start(request)
    }
  }

  @Test(arguments: [1, 2])
  func `a microphone that delivers no audio is closed without a delay`(
    jobCount: Int
  ) async throws {
    let (captured, continuation) = AsyncThrowingStream<CapturedAudio, any Error>.makeStream()
    let (asked, closed) = (Gate(), Gate())
    continuation.onTermination = { _ in closed.open() }
    let results = listen(jobCount: jobCount) {
      asked.open()
      return captured
    }
    await asked.wait()
    await tasks.finishAll()
    #expect(try await results.all().isEmpty)
    #expect(tasks.all.isEmpty)
    await closed.wait()
  }

  @Test(arguments: [1, 2])
  func `a microphone that does not open is abandoned after a second`(jobCount: Int) async throws {
    let (asked, end) = (Gate(), Gate())
    defer { end.open() }
    let results = listen(jobCount: jobCount) {
      asked.open()
      await end.wait()
      return AsyncThrowingStream { nil }
    }
    await asked.wait()
    await listening()
    await finish(within: 1)
    #expect(try await results.all().isEmpty)
    #expect(tasks.all.isEmpty)
  }

  @Test func `finishing takes no time if the source ends when it is canceled`() async throws {
    let (buffers, end) = AsyncStream.makeStream(of: AudioBuffer.self)
    let scripted = ScriptedSpeechEngine(utterances: [ScriptedUtterance("go")])
    let results = tasks.start(SpeechRequest(buffers: buffers), on: scripted.engine)
    for buffer in audio(utterances: 1).prefix(14) { end.yield(buffer) }
    await tasks.finishAll()
    #expect(try await results.all().finals == ["go"])
  }

  @Test(arguments: [1, 2])
  func `after finish, twenty more seconds of an endless source are recognized`(
    jobCount: Int
  ) async throws {
    let endless = EndlessSource(audio(utterances: 20))
    var request = SpeechRequest(buffers: endless, shouldReportPartialResults: false)
    request.jobCount = jobCount
    let results = tasks.start(request, on: SharedEngine().engine)
    await tasks.finishAll()
    let finals = try await results.all().finals
    #expect(endless.given == 200)
    // The thirteenth stretch of speech begins at 19 s; a fourteenth would begin at 20.5 s.
    #expect(finals.map { $0.prefix { $0 != " " } } == (0..<13).map { "\($0)" })
  }

  /// Returns a request for one decoder or for several.
  private func request(jobCount: Int) -> SpeechRequest {
    var request = SpeechRequest(
      buffers: stream(audio(utterances: 3)), shouldReportPartialResults: jobCount == 1)
    request.backPressure = .wait
    request.jobCount = jobCount
    return request
  }

  @Test(arguments: [BlockingEngine.Place.making, .beginning, .processing, .finishing], [1, 2])
  func `if an engine call does not return, the task fails after half a minute`(
    place: BlockingEngine.Place, jobCount: Int
  ) async throws {
    let blocking = BlockingEngine(in: place)
    defer { blocking.release() }
    let results = tasks.start(request(jobCount: jobCount), on: blocking.engine)
    await blocking.reached.wait()
    // With two decoders, the time limit of 30 s begins later, when the second decoder also makes no
    // progress. The clock therefore runs until the task ends.
    if jobCount == 1 {
      await finish(within: 30)
    } else {
      await clock.pass { await tasks.finishAll() }
    }
    await #expect(throws: stuck) { try await results.all() }
    #expect(tasks.all.isEmpty)
  }

  @Test(arguments: [BlockingEngine.Place.making, .beginning, .processing, .finishing], [1, 2])
  func `canceling does not wait for the engine`(
    place: BlockingEngine.Place, jobCount: Int
  ) async throws {
    let blocking = BlockingEngine(in: place)
    defer { blocking.release() }
    let results = tasks.start(request(jobCount: jobCount), on: blocking.engine)
    await blocking.reached.wait()
    let consumer = Task { try await results.all() }
    consumer.cancel()
    #expect(try await consumer.value.isEmpty)
    #expect(tasks.all.isEmpty)
    await tasks.finishAll()
  }

  @Test(
    arguments: [BlockingEngine.Place.preparing, .beginning, .processing, .guessing, .finishing],
    [1, 2])
  func `if an engine call does not return, the abandoned engine is interrupted`(
    place: BlockingEngine.Place, jobCount: Int
  ) async throws {
    // Partial hypotheses exist only with one decoder.
    let jobCount = place == .guessing ? 1 : jobCount
    let blocking = BlockingEngine(in: place, canBeInterrupted: true)
    let results = tasks.start(request(jobCount: jobCount), on: blocking.engine)
    await blocking.reached.wait()
    await clock.pass(by: SpeechTask.watchInterval) { await tasks.finishAll() }
    await blocking.interrupted.wait()
    await #expect(throws: stuck) { try await results.all() }
    #expect(tasks.all.isEmpty)
  }

  @Test(
    arguments: [BlockingEngine.Place.preparing, .beginning, .processing, .guessing, .finishing],
    [1, 2])
  func `canceling interrupts the engine, and its thread ends`(
    place: BlockingEngine.Place, jobCount: Int
  ) async throws {
    let jobCount = place == .guessing ? 1 : jobCount
    let blocking = BlockingEngine(in: place, canBeInterrupted: true)
    let results = tasks.start(request(jobCount: jobCount), on: blocking.engine)
    let thread = tasks.all.first?.recognizer?.executor.thread
    await blocking.reached.wait()
    let consumer = Task { try await results.all() }
    consumer.cancel()
    #expect(try await consumer.value.isEmpty)
    await blocking.interrupted.wait()
    await thread?.join()
    #expect(tasks.all.isEmpty)
  }

  @Test func `finish returns at once after the end of the audio, even if results are not read`()
    async throws
  {
    let scripted = ScriptedSpeechEngine(
      utterances: (0..<30).map { ScriptedUtterance("word \($0)") })
    let results = tasks.start(
      SpeechRequest(buffers: stream(audio(utterances: 30)), shouldReportPartialResults: false),
      on: scripted.engine)
    await tasks.finishAll()
    await tasks.finishAll()
    #expect(try await results.all().finals.isEmpty == false)
  }
}

/// A stream that delivers nothing until its consumer is canceled, and then a buffer at each
/// request.
private final class EndlessSource: AsyncSequence, AsyncIteratorProtocol, Sendable {
  private let buffers: [AudioBuffer]
  private let cancelled = Gate()
  private let count = Atomic(0)

  init(_ buffers: [AudioBuffer]) {
    self.buffers = buffers
  }

  /// The number of delivered buffers.
  var given: Int { count.load(ordering: .relaxed) }

  func makeAsyncIterator() -> EndlessSource { self }

  func next() async -> AudioBuffer? {
    await withTaskCancellationHandler {
      await cancelled.wait()
    } onCancel: {
      cancelled.open()
    }
    return buffers[count.wrappingAdd(1, ordering: .relaxed).oldValue % buffers.count]
  }
}
