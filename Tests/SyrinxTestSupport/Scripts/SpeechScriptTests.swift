import AudioCore
import ClientDependencies
import ClientDependenciesTestSupport
import Foundation
import SpeechClient
import SyrinxTestSupport
import Testing

/// Scripted recognizers that follow a clock.
@Suite(.timeLimit(.minutes(5)))
struct SpeechScriptTests {
  private let clock = TestClock()
  private let request = SpeechRequest(url: URL(filePath: "a.wav"))
  private let script = SpeechScript()
    .saying(ScriptedUtterance("stop"), at: .seconds(5))
    .saying(ScriptedUtterance("go on"), at: .seconds(1))

  /// The yielded events with their times in seconds.
  private typealias Seen = LockIsolated<[String]>

  private func text(_ event: SpeechRecognitionEvent) -> String {
    switch event {
    case .speechStarted(let time): "( \(time)"
    case .speechEnded(let time): ") \(time)"
    case .result(let result):
      (result.isFinal ? "final " : "partial ") + result.bestTranscription.formattedString
    case .lagging(let lag): "lagging \(lag)"
    default: "dropped"
    }
  }

  private func events(
    of client: SpeechClient, _ request: SpeechRequest? = nil
  ) async -> AsyncThrowingStream<SpeechRecognitionEvent, any Error> {
    await withDependencies {
      $0.continuousClock = clock
    } operation: {
      await client.recognition(request: request ?? self.request)
    }
  }

  /// Records each event before the next is requested.
  private func note(
    _ stream: AsyncThrowingStream<SpeechRecognitionEvent, any Error>, in seen: Seen
  ) -> Task<Void, any Error> {
    Task {
      for try await event in stream {
        let line = text(event)
        seen.withValue { $0.append(line) }
      }
    }
  }

  /// Advances the clock and returns when the stream waits again.
  private func pass(_ milliseconds: Int) async {
    await clock.advance(by: .milliseconds(milliseconds))
    await clock.sleepers(atLeast: 1)
  }

  @Test func `no event is yielded before its time`() async throws {
    let seen = Seen([])
    let task = note(await events(of: .scripted(script)), in: seen)
    await clock.sleepers(atLeast: 1)
    #expect(seen.value == [])
    await pass(999)
    #expect(seen.value == [])
    await pass(1)
    #expect(seen.value == ["( 1.0 seconds"])
    // A word lasts 200 ms, and an utterance ends after 600 ms of silence.
    await pass(199)
    #expect(seen.value.count == 1)
    await pass(1)
    #expect(seen.value.last == "partial go")
    await pass(200)
    #expect(seen.value.last == "partial go on")
    await pass(599)
    #expect(seen.value.count == 3)
    await pass(1)
    #expect(seen.value.dropFirst(3) == ["final go on", ") 1.4 seconds"])
    await pass(2_999)
    #expect(seen.value.count == 5)
    await pass(1)
    #expect(seen.value.last == "( 5.0 seconds")
    await clock.advance(by: .seconds(60))
    try await task.value
    #expect(
      seen.value.dropFirst(6) == ["partial stop", "final stop", ") 5.2 seconds"])
  }

  @Test(.dependencies { $0.continuousClock = ImmediateClock() })
  func `a script yields the requested partial results and alternatives`() async throws {
    var utterance = ScriptedUtterance("go forward", confidence: 0.5)
    utterance.revisions = [
      .init(after: .milliseconds(100), "no"), .init(after: .milliseconds(300), "go for"),
    ]
    utterance.alternatives = ["no forward", "go for"]
    let client = SpeechClient.scripted(
      SpeechScript().saying(utterance, at: .seconds(2)).saying(utterance, at: .seconds(4)))
    var request = request
    request.alternativeCount = 1
    var results: [SpeechRecognitionResult] = []
    for try await result in await client.startTask(request: request) { results.append(result) }
    #expect(results.map(\.utterance) == [0, 0, 0, 1, 1, 1])
    #expect(
      results.prefix(3).map(\.bestTranscription.formattedString) == ["no", "go for", "go forward"])
    #expect(results.map(\.isFinal) == [false, false, true, false, false, true])
    let final = try #require(results.dropFirst(2).first)
    #expect(final.transcriptions.map(\.formattedString) == ["go forward", "no forward"])
    let words = final.bestTranscription.segments
    #expect(words.map(\.timestamp) == [.seconds(2), .milliseconds(2200)])
    #expect(words.map(\.confidence) == [0.5, 0.5])
    #expect(final.speechRecognitionMetadata?.speakingRate == 300)
    request.shouldReportPartialResults = false
    results = []
    for try await result in await client.startTask(request: request) { results.append(result) }
    #expect(results.map(\.isFinal) == [true, true])
  }

  @Test(.dependencies { $0.continuousClock = ImmediateClock() })
  func `a key phrase is reported once, and removed if the final result lacks it`()
    async throws
  {
    var misheard = ScriptedUtterance("please stoop now")
    misheard.revisions = [
      .init(after: .milliseconds(400), "please stop"),
      .init(after: .milliseconds(500), "please stop now"),
    ]
    let script = SpeechScript().saying(misheard, at: .zero)
      .saying(ScriptedUtterance("say nothing"), at: .seconds(3))
      .saying(ScriptedUtterance("please go on now"), at: .seconds(6))
    var request = request
    request.keyPhrases = [KeyPhrase("stop"), KeyPhrase(" go  on ")]
    var results: [SpeechRecognitionResult] = []
    for try await result in await SpeechClient.scripted(script).startTask(request: request) {
      results.append(result)
    }
    #expect(
      results.map { $0.bestTranscription.segments.map(\.substring) } == [
        ["stop"], [], ["go on"], ["go on"], ["go on"],
      ])
    #expect(results.map(\.isFinal) == [false, true, false, false, true])
    #expect(results.map(\.stableSegmentCount) == [0, 0, 0, 1, 1])
    #expect(results.last?.bestTranscription.segments.first?.timestamp == .milliseconds(6_200))
  }

  @Test func `words marked as stable do not change`() async throws {
    let script = SpeechScript().saying(ScriptedUtterance("go forward ten meters"), at: .zero)
    let stable = try await withDependencies {
      $0.continuousClock = ImmediateClock()
    } operation: {
      var stable: [String] = []
      for try await result in await SpeechClient.scripted(script).startTask(request: request) {
        stable.append(result.stablePrefix.formattedString)
      }
      return stable
    }
    #expect(
      stable == ["", "go", "go forward", "go forward ten", "go forward ten meters"])
  }

  @Test func `custom events and errors are yielded when due, and an error ends the stream`()
    async throws
  {
    let gone = SpeechClientError.engineFailed(reason: "gone")
    let script = SpeechScript()
      .failing(gone, at: .seconds(3))
      .reporting(.lagging(by: .seconds(2)), at: .seconds(1))
      .saying(ScriptedUtterance("late"), at: .seconds(4))
    let seen = Seen([])
    let task = note(await events(of: .scripted(script)), in: seen)
    await clock.sleepers(atLeast: 1)
    await pass(1_000)
    #expect(seen.value == ["lagging 2.0 seconds"])
    await clock.advance(by: .seconds(60))
    await #expect(throws: gone) { try await task.value }
    #expect(seen.value.count == 1)
  }

  @Test func `a scripted stream ends with its last event or at a later time`() async throws {
    let seen = Seen([])
    let script = SpeechScript().saying(ScriptedUtterance("go"), at: .zero).ending(at: .seconds(9))
    let task = note(await events(of: .scripted(script)), in: seen)
    await clock.sleepers(atLeast: 1)
    await pass(8_999)
    #expect(seen.value.last == ") 0.2 seconds")
    await clock.advance(by: .milliseconds(1))
    try await task.value
    let empty = await events(of: .scripted(SpeechScript()))
    try await note(empty, in: seen).value
    #expect(seen.value.count == 4)
  }

  @Test func `finishTask yields the utterance in progress and no later utterance`()
    async throws
  {
    let client = SpeechClient.scripted(script)
    let seen = Seen([])
    let task = note(await events(of: client), in: seen)
    await clock.sleepers(atLeast: 1)
    await pass(1_000)
    await client.finishTask()
    try await task.value
    #expect(seen.value == ["( 1.0 seconds", "final go on", ") 1.4 seconds"])
    // Before and between utterances there is nothing to yield.
    let later = await events(of: client)
    await client.finishTask()
    try await note(later, in: seen).value
    #expect(seen.value.count == 3)
  }

  @Test func `a canceled consumer gets the end of the stream at once`() async throws {
    let seen = Seen([])
    let task = note(await events(of: .scripted(script)), in: seen)
    await clock.sleepers(atLeast: 1)
    task.cancel()
    try await task.value
    #expect(seen.value == [])
  }

  @Test func `every task runs the script from its beginning, with its own time`() async throws {
    let client = SpeechClient.scripted(
      SpeechScript().saying(ScriptedUtterance("go"), at: .seconds(1)))
    let (first, second) = (Seen([]), Seen([]))
    let early = note(await events(of: client), in: first)
    await clock.sleepers(atLeast: 1)
    await pass(1_000)
    let late = note(await events(of: client), in: second)
    await clock.sleepers(atLeast: 2)
    #expect(second.value == [])
    await clock.advance(by: .seconds(60))
    try await early.value
    try await late.value
    #expect(first.value == second.value)
    #expect(first.value == ["( 1.0 seconds", "partial go", "final go", ") 1.2 seconds"])
    #expect(client.authorizationStatus() == .authorized)
    #expect(await client.supportedLocales() == ["en-US"])
    #expect(await client.engines().map(\.name) == ["scripted"])
  }
}
