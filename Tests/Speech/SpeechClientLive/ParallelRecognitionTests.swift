import AudioCore
import AudioThreads
import ClientDependencies
import Foundation
import PocketSphinxEngine
import SpeechClient
import SpeechEngine
import Synchronization
import Testing

@testable import SpeechClientLive

@Suite struct ParallelRecognitionTests {
  private let tasks = SpeechTasks()

  private func request(
    _ buffers: [AudioBuffer], jobCount: Int, partials: Bool = false
  ) -> SpeechRequest {
    var request = SpeechRequest(buffers: stream(buffers), shouldReportPartialResults: partials)
    request.jobCount = jobCount
    return request
  }

  @Test(arguments: [2, 3, 8])
  func `several sessions return the same results as one session, in order`(
    jobCount: Int
  ) async throws {
    let buffers = audio(utterances: 9)
    let one = try await tasks.start(request(buffers, jobCount: 1), on: SharedEngine().engine).all()
    let shared = SharedEngine()
    let several = try await tasks.start(request(buffers, jobCount: jobCount), on: shared.engine)
      .all()
    #expect(several == one)
    #expect(one.count == 9)
    #expect(shared.counts.mostSessions <= jobCount)
  }

  @Test(arguments: [100, 900])
  func `several sessions pad an utterance like a single session`(milliseconds: Int) async throws {
    let processed = Mutex(0)
    let shared = SharedEngine { _ in processed.withLock { $0 += 1 } }
    var request = request(audio(utterances: 9), jobCount: 1)
    request.endpointPolicy.tailPadding = .milliseconds(milliseconds)
    let one = try await tasks.start(request, on: SharedEngine().engine).all()
    request.source = self.request(audio(utterances: 9), jobCount: 1).source
    request.jobCount = 3
    let several = try await tasks.start(request, on: shared.engine).all()
    #expect(several == one)
    // `finishUtterance` was called once per utterance, so no session divided an utterance.
    #expect(processed.withLock { $0 } == 9)
  }

  @Test func `several sessions use the engine's own padding, like a single session`()
    async throws
  {
    let processed = Mutex(0)
    let shared = SharedEngine(traits: SpeechSessionTraits(tailPadding: .milliseconds(900))) { _ in
      processed.withLock { $0 += 1 }
    }
    let plain = try await tasks.start(
      request(audio(utterances: 9), jobCount: 1), on: SharedEngine().engine
    ).all()
    let one = try await tasks.start(
      request(audio(utterances: 9), jobCount: 1),
      on: SharedEngine(traits: SpeechSessionTraits(tailPadding: .milliseconds(900))).engine
    ).all()
    let several = try await tasks.start(
      request(audio(utterances: 9), jobCount: 3), on: shared.engine
    ).all()
    #expect(one != plain)
    #expect(several == one)
    #expect(processed.withLock { $0 } == 9)
  }

  @Test func `two utterances are recognized at the same time`() async throws {
    let meeting = try Meeting()
    let shared = SharedEngine { index in meeting.wait(for: index) }
    let results = try await tasks.start(
      request(audio(utterances: 2), jobCount: 2), on: shared.engine
    ).all()
    #expect(results.count == 2)
  }

  @Test func `with partial results, one session gets all audio`() async throws {
    let shared = SharedEngine()
    let results = try await tasks.start(
      request(audio(utterances: 4), jobCount: 4, partials: true), on: shared.engine
    ).all()
    #expect(results.finals.count == 4)
    #expect(shared.counts.made == 1)
  }

  @Test func `an error ends the stream after the results of earlier utterances`() async throws {
    let shared = SharedEngine { index throws(SpeechEngineError) in
      if index == 2 { throw .failed(reason: "no more") }
    }
    var finals: [String] = []
    await #expect(throws: SpeechClientError.engineFailed(reason: "no more")) {
      for try await result in tasks.start(
        request(audio(utterances: 5), jobCount: 3), on: shared.engine)
      {
        finals.append(result.bestTranscription.segments[0].substring)
      }
    }
    #expect(finals == ["0", "1"])
  }

  @Test func `a grammar that the engine refuses ends the stream before any audio is read`() async {
    var request = request(audio(utterances: 2), jobCount: 2)
    request.grammar = .text("bad")
    await #expect(throws: SpeechClientError.self) {
      try await tasks.start(request, on: SharedEngine().engine).all()
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `a grammar pipe without a writer delays no other task`() async throws {
    let pipe = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).gram")
    defer { try? FileManager.default.removeItem(at: pipe) }
    try #require(mkfifo(pipe.path, 0o600) == 0)
    let engine = SharedEngine().engine
    let held = (0..<2).map { _ in
      var request = request(audio(utterances: 2), jobCount: 2)
      request.grammar = .file(pipe)
      return tasks.start(request, on: engine)
    }
    let results = try await tasks.start(request(audio(utterances: 2), jobCount: 2), on: engine)
      .all()
    #expect(results.count == 2)
    // Opening the pipe for writing releases the thread that still waits for a writer.
    let end = open(pipe.path, O_RDWR)
    close(end)
    _ = held
  }

  @Test func `finishing within an utterance returns its words`() async throws {
    let (buffers, end) = AsyncStream.makeStream(of: AudioBuffer.self)
    var request = SpeechRequest(buffers: buffers, shouldReportPartialResults: false)
    request.jobCount = 2
    let results = tasks.start(request, on: SharedEngine().engine)
    // The second utterance is cut off in its middle.
    for buffer in audio(utterances: 2).prefix(28) { end.yield(buffer) }
    var iterator = results.makeAsyncIterator()
    let first = try await iterator.next()
    #expect(first?.bestTranscription.segments.first?.substring == "0")
    end.finish()
    let second = try await iterator.next()
    #expect(second?.bestTranscription.segments.first?.substring == "1")
    let third = try await iterator.next()
    #expect(third == nil)
  }

  @Test func `finishTask recognizes the audio that the stream still holds`() async throws {
    let (buffers, end) = AsyncStream.makeStream(of: AudioBuffer.self)
    var request = SpeechRequest(buffers: buffers, shouldReportPartialResults: false)
    request.jobCount = 2
    let results = tasks.start(request, on: SharedEngine().engine)
    for buffer in audio(utterances: 2).prefix(28) { end.yield(buffer) }
    await tasks.finishAll()
    let finals = try await results.all()
    #expect(finals.map(\.bestTranscription.segments[0].substring) == ["0", "1"])
    #expect(tasks.all.isEmpty)
  }

  @Test func `releasing the results ends the reader and releases the source`() async {
    let gate = Gate()
    var results: AsyncThrowingStream<SpeechRecognitionResult, any Error>? = endless(until: gate)
    _ = try? await results?.first { _ in true }
    results = nil
    await gate.wait()
    #expect(tasks.all.isEmpty)
  }

  /// Returns the results of an endless source; the gate opens when the source is released.
  private func endless(
    until gate: Gate
  ) -> AsyncThrowingStream<SpeechRecognitionResult, any Error> {
    let source = AsyncThrowingStream<AudioBuffer, any Error> { continuation in
      for buffer in audio(utterances: 40) { continuation.yield(buffer) }
      continuation.onTermination = { _ in gate.open() }
    }
    var request = SpeechRequest(buffers: source, shouldReportPartialResults: false)
    request.jobCount = 2
    return tasks.start(request, on: SharedEngine().engine)
  }

  @Test func `results arrive along with the audio`() async throws {
    let (buffers, end) = AsyncStream.makeStream(of: AudioBuffer.self)
    var request = SpeechRequest(buffers: buffers, shouldReportPartialResults: false)
    request.jobCount = 3
    let results = tasks.start(request, on: SharedEngine().engine)
    for buffer in audio(utterances: 1) { end.yield(buffer) }
    var iterator = results.makeAsyncIterator()
    let first = try await iterator.next()
    #expect(first?.isFinal == true)
    end.finish()
  }

  @Test func `a failing source ends the stream with its error, after the results so far`() async {
    struct Broken: Error {}
    let broken = AsyncThrowingStream<AudioBuffer, any Error> { continuation in
      for buffer in audio(utterances: 2) { continuation.yield(buffer) }
      continuation.finish(throwing: Broken())
    }
    var request = SpeechRequest(buffers: broken, shouldReportPartialResults: false)
    request.jobCount = 2
    var count = 0
    await #expect(throws: Broken.self) {
      for try await _ in tasks.start(request, on: SharedEngine().engine) { count += 1 }
    }
    #expect(count == 2)
  }

  @Test func `PocketSphinx returns the same words, times, and confidences with two decoders`()
    async throws
  {
    func finals(jobCount: Int) async throws -> [SpeechRecognitionResult] {
      var request = SpeechRequest(
        url: sound("two-utterances.wav"), shouldReportPartialResults: false)
      request.jobCount = jobCount
      return try await tasks.start(request, on: .pocketSphinx()).all()
    }
    let one = try await finals(jobCount: 1)
    let two = try await finals(jobCount: 2)
    #expect(one == two)
    #expect(one.finals == ["turn left and go back", "go forward ten meters"])
  }
}

/// Lets two threads wait for each other, so that a test ends only if both work at the same time.
private final class Meeting: Sendable {
  private let arrivals: [WakeUp]

  init() throws {
    arrivals = [try WakeUp(), try WakeUp()]
  }

  func wait(for index: Int) {
    arrivals[index % 2].signal()
    arrivals[(index + 1) % 2].wait(atMost: .seconds(60))
  }
}
