import AudioCore
import ClientDependencies
import Foundation
import SoundFile
import SpeechClient
import SpeechEngine
import Synchronization
import SyrinxTestSupport
import Testing

@testable import SpeechClientLive

@Suite struct SpeechTasksTests {
  private let tasks = SpeechTasks()
  private let scripted = ScriptedSpeechEngine(utterances: [
    ScriptedUtterance("go forward"), ScriptedUtterance("ten meters"),
  ])

  @Test func `each utterance has one final result, after its partial results`() async throws {
    let results = try await tasks.start(
      SpeechRequest(buffers: stream(audio(utterances: 2))), on: scripted.engine
    ).all()
    #expect(results.finals == ["go forward", "ten meters"])
    #expect(results.map(\.utterance) == results.map(\.utterance).sorted())
    let partials = results.filter { !$0.isFinal }.map(\.bestTranscription.formattedString)
    #expect(partials.allSatisfy { "go forward".hasPrefix($0) || "ten meters".hasPrefix($0) })
    #expect(results.last?.isFinal == true)
  }

  @Test func `a task is unregistered before its consumer sees the end of the stream`() {
    let events = EventPipe(policy: .events())
    let wereClosed = Mutex<[Bool]>([])
    let task = SpeechTask(.wait, events: events, clock: ContinuousClock()) { _ in
      wereClosed.withLock { $0.append(events.inspect(\.isClosed)) }
    }
    task.fail(SpeechEngineError.interrupted)
    #expect(wereClosed.withLock { $0.first } == false)
    #expect(events.inspect(\.isClosed))
  }

  @Test func `without partial results, only final results are returned`() async throws {
    let request = SpeechRequest(
      buffers: stream(audio(utterances: 2)), shouldReportPartialResults: false)
    let results = try await tasks.start(request, on: scripted.engine).all()
    #expect(results.map(\.isFinal) == [true, true])
  }

  @Test(arguments: [
    AudioFormat.speech, AudioFormat(sampleRate: 44_100, channelCount: 2),
    AudioFormat(sampleRate: 48_000, channelCount: 1),
  ])
  func `word times are on the timeline of the audio, whatever its rate`(
    format: AudioFormat
  ) async throws {
    let results = try await tasks.start(
      SpeechRequest(buffers: stream(audio(utterances: 2, format: format))), on: scripted.engine
    ).all()
    // The loud parts begin at 1 s and 2.5 s; a pre-roll of 0.3 s comes before each.
    let begins = results.filter(\.isFinal).compactMap(\.bestTranscription.segments.first?.timestamp)
    #expect(begins.count == 2)
    for (begin, expected) in zip(begins, [0.7, 2.2]) {
      #expect(abs(begin.inSeconds - expected) < 0.03)
    }
  }

  @Test func `an utterance at the end of the audio is processed up to the last frame`() async throws
  {
    let format = AudioFormat(sampleRate: 44_100, channelCount: 1)
    let cutOff = audio(utterances: 1, format: format).prefix(14)
    let results = try await tasks.start(
      SpeechRequest(buffers: stream(Array(cutOff))), on: scripted.engine
    ).all()
    let begin = try #require(results.last?.bestTranscription.segments.first?.timestamp)
    let processed = FrameCount(.milliseconds(1400) - begin, at: .speech)
    #expect(scripted.events.contains(.finished(after: processed)))
  }

  @Test func `utterances without words have no results`() async throws {
    let silent = ScriptedSpeechEngine(utterances: [])
    let results = try await tasks.start(
      SpeechRequest(buffers: stream(audio(utterances: 2))), on: silent.engine
    ).all()
    #expect(results.isEmpty)
  }

  @Test func `a final result arrives while the source is still open`() async throws {
    let (buffers, end) = AsyncStream.makeStream(of: AudioBuffer.self)
    let results = tasks.start(SpeechRequest(buffers: buffers), on: scripted.engine)
    for buffer in audio(utterances: 1) { end.yield(buffer) }
    var iterator = results.makeAsyncIterator()
    var result = try await iterator.next()
    while let partial = result, !partial.isFinal { result = try await iterator.next() }
    #expect(result?.bestTranscription.formattedString == "go forward")
    end.finish()
    #expect(try await iterator.next() == nil)
  }

  @Test func `finishing returns the last final result and ends the stream`() async throws {
    let (buffers, end) = AsyncStream.makeStream(of: AudioBuffer.self)
    let results = tasks.start(SpeechRequest(buffers: buffers), on: scripted.engine)
    // The second utterance is cut off in its middle.
    for buffer in audio(utterances: 2).prefix(28) { end.yield(buffer) }
    await tasks.finishAll()
    #expect(try await results.all().finals == ["go forward", "ten meters"])
    #expect(tasks.all.isEmpty)
    await tasks.finishAll()
  }

  @Test func `finishing returns even if the results are not read`() async throws {
    let many = ScriptedSpeechEngine(
      utterances: (0..<30).map { ScriptedUtterance("utterance \($0)") })
    let results = tasks.start(
      SpeechRequest(buffers: stream(audio(utterances: 30)), shouldReportPartialResults: false),
      on: many.engine)
    await tasks.finishAll()
    let finals = try await results.all().finals
    #expect(finals == (0..<finals.count).map { "utterance \($0)" })
    #expect(finals.count >= 1)
  }

  @Test func `a missing model ends the stream with an error that contains the remedy`() async {
    let missing = SpeechEngineError.modelMissing(searched: ["/a"], package: "some-model")
    let engine = ScriptedSpeechEngine(
      utterances: [], faults: ScriptedFaults(loading: missing)
    ).engine
    let results = tasks.start(SpeechRequest(buffers: stream([])), on: engine)
    await #expect(throws: SpeechClientError.unavailable(reason: missing.description)) {
      try await results.all()
    }
  }

  @Test(arguments: [
    ScriptedFaults(processing: .failed(reason: "no more"), failsAfter: .milliseconds(200)),
    ScriptedFaults(finishing: .failed(reason: "no more")),
  ])
  func `an engine that fails ends the stream with its error`(faults: ScriptedFaults) async {
    let engine = ScriptedSpeechEngine(utterances: [ScriptedUtterance("go")], faults: faults)
    let results = tasks.start(
      SpeechRequest(buffers: stream(audio(utterances: 1))), on: engine.engine)
    await #expect(throws: SpeechClientError.engineFailed(reason: "no more")) {
      try await results.all()
    }
    await engine.waitUntil(.released)
  }

  @Test func `a source that fails ends the stream with its error, after the last final result`()
    async throws
  {
    struct Broken: Error {}
    let buffers = AsyncThrowingStream<AudioBuffer, any Error> { continuation in
      for buffer in audio(utterances: 1).prefix(18) { continuation.yield(buffer) }
      continuation.finish(throwing: Broken())
    }
    var finals: [String] = []
    await #expect(throws: Broken.self) {
      for try await result in tasks.start(SpeechRequest(buffers: buffers), on: scripted.engine)
      where result.isFinal {
        finals.append(result.bestTranscription.formattedString)
      }
    }
    #expect(finals == ["go forward"])
  }

  @Test func `a missing file, a directory, and a text file end the stream with SoundFile's error`()
    async
  {
    let missing = sound("missing.wav")
    await #expect(throws: SoundFileError.notFound(path: missing.path)) {
      try await tasks.start(SpeechRequest(url: missing), on: scripted.engine).all()
    }
    let directory = sound("")
    await #expect(throws: SoundFileError.isDirectory(path: directory.path)) {
      try await tasks.start(SpeechRequest(url: directory), on: scripted.engine).all()
    }
    let text = URL(filePath: #filePath)
    await #expect(throws: SoundFileError.self) {
      try await tasks.start(SpeechRequest(url: text), on: scripted.engine).all()
    }
  }

  @Test func `the authorization status is the same before and after the engine is loaded`() async {
    let missing = SpeechEngineError.modelMissing(searched: ["/a"], package: "some-model")
    let broken = ScriptedSpeechEngine(utterances: [], faults: ScriptedFaults(loading: missing))
    for (engine, expected) in [
      (scripted.engine, AuthorizationStatus.authorized),
      (broken.engine, .denied(reason: missing.description)),
    ] {
      await withDependencies {
        $0.speechEngine = engine
      } operation: {
        #expect(tasks.authorizationStatus() == expected)
        #expect(await tasks.requestAuthorization() == expected)
      }
    }
  }
}
