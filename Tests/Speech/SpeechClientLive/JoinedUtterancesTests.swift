import AudioCore
import ClientDependencies
import SpeechClient
import SpeechEngine
import SyrinxTestSupport
import Testing

@testable import SpeechClientLive

/// Recognizes files with an engine that prefers long utterances.
///
/// In the fixtures' audio, each utterance is half a second of speech and a second of quiet.
@Suite(.timeLimit(.minutes(30))) struct JoinedUtterancesTests {
  private let tasks = SpeechTasks()

  /// Returns an engine that finds a word at the beginning of each joined sound.
  ///
  /// The sounds are a second apart in the joined audio, which keeps 0.5 s of each pause.
  private static func scripted(_ texts: [String]) -> ScriptedSpeechEngine {
    let words = texts.enumerated().map { index, text in
      let begin = FrameCount(.milliseconds(350 + 1000 * index), at: .speech)
      return SpeechHypothesis.Word(
        text, frames: begin..<begin + FrameCount(.milliseconds(300), at: .speech), confidence: 1)
    }
    return ScriptedSpeechEngine(
      utterances: [
        ScriptedUtterance(words: words), ScriptedUtterance("other words"),
        ScriptedUtterance("and others"),
      ], decodeInterval: .milliseconds(300))
  }

  private func request(partials: Bool = false, jobCount: Int = 1) -> SpeechRequest {
    var request = SpeechRequest(
      buffers: stream(audio(utterances: 3)), shouldReportPartialResults: partials)
    request.jobCount = jobCount
    request.endpointPolicy.joinsUtterances = true
    return request
  }

  private func events(
    _ request: SpeechRequest, on engine: SpeechEngine
  ) async throws -> [SpeechRecognitionEvent] {
    let events = withDependencies {
      $0.speechEngine = engine
    } operation: {
      tasks.events(of: request)
    }
    return try await events.reduce(into: []) { $0.append($1) }
  }

  private func utteranceCount(_ request: SpeechRequest) async throws -> Int {
    let scripted = Self.scripted(["one"])
    _ = try await events(request, on: scripted.engine)
    return scripted.events.count { $0 == .began }
  }

  @Test(arguments: [1, 2])
  func `joined utterances are decoded once, and each has its own start, result, and end`(
    jobCount: Int
  ) async throws {
    let scripted = Self.scripted(["one", "two", "three"])
    let events = try await events(request(jobCount: jobCount), on: scripted.engine)
    #expect(scripted.events.count { $0 == .began } == 1)
    var (kinds, times): (String, [Duration]) = ("", [])
    var results: [SpeechRecognitionResult] = []
    for event in events {
      switch event {
      case .speechStarted(let time): (kinds, times) = (kinds + "s", times + [time])
      case .result(let result): (kinds, results) = (kinds + "r", results + [result])
      case .speechEnded(let time): (kinds, times) = (kinds + "e", times + [time])
      default: Issue.record("\(event) is not expected")
      }
    }
    #expect(kinds == "sresresre" && times == times.sorted())
    #expect(results.map(\.utterance) == [0, 1, 2])
    #expect(results.finals == ["one", "two", "three"])
    let begins = results.compactMap(\.bestTranscription.segments.first?.timestamp)
    for (begin, sound) in zip(begins, [1.0, 2.5, 4]) {
      #expect((.seconds(sound - 0.1)...(.seconds(sound + 0.3))).contains(begin), "\(begin)")
    }
  }

  @Test(arguments: [1, 2])
  func `joined utterances without words are dropped as a single utterance`(
    jobCount: Int
  ) async throws {
    let events = try await events(
      request(jobCount: jobCount), on: Self.scripted([]).engine)
    #expect(events.count == 3, "\(events)")
    guard case .dropped(_, .unintelligible) = events[1] else {
      Issue.record("it is not dropped: \(events)")
      return
    }
  }

  /// Records for each utterance whether its word times were requested.
  private final class TimingSession: SpeechEngineSession {
    let traits = SpeechSessionTraits(decodeInterval: .milliseconds(300))
    private let log: LockIsolated<[Bool]>
    private var isMeasured = false

    init(_ log: LockIsolated<[Bool]>) {
      self.log = log
    }

    var hypothesis: SpeechHypothesis { SpeechHypothesis() }
    func beginUtterance() { isMeasured = false }
    func process(_ samples: [Float]) {}
    func measureWordTimes() { isMeasured = true }

    func finishUtterance() -> SpeechHypothesis {
      log.withValue { [isMeasured] in $0.append(isMeasured) }
      return SpeechHypothesis(words: [SpeechHypothesis.Word("go", frames: 0..<3200)])
    }
  }

  @Test(arguments: [(1, false), (3, true)])
  func `if word times are not requested, they are measured only for joined utterances`(
    utterances: Int, isMeasured: Bool
  ) async throws {
    let log = LockIsolated<[Bool]>([])
    let engine = SpeechEngine(
      name: "timing",
      availability: { .ready(SpeechModel(language: "en-US", location: "test")) },
      makeSession: { _ in TimingSession(log) })
    var request = SpeechRequest(buffers: stream(audio(utterances: utterances)))
    request.measuresWordTimes = false
    request.endpointPolicy.joinsUtterances = true
    _ = try await events(request, on: engine)
    #expect(log.value == [isMeasured])
  }

  @Test
  func `partial results of joined speech have no stable words and change no final result`()
    async throws
  {
    let scripted = Self.scripted(["one", "two", "three"])
    let results = try await tasks.start(request(partials: true), on: scripted.engine).all()
    #expect(results.finals == ["one", "two", "three"])
    for partial in results where !partial.isFinal {
      #expect(partial.utterance == 0 && partial.stableSegmentCount == 0)
      // The times of a partial result are estimated, so the result may contain words of later
      // parts.
      #expect("one two three".hasPrefix(partial.bestTranscription.formattedString))
    }
  }

  @Test func `utterances of live sources, grammars, and key phrases are not joined`()
    async throws
  {
    #expect(try await utteranceCount(request()) == 1)
    var silence = request()
    silence.endpointPolicy = EndpointPolicy()
    #expect(try await utteranceCount(silence) == 3)
    var live = request()
    live.isLive = true
    #expect(try await utteranceCount(live) == 3)
    var grammar = request()
    grammar.grammar = .text("#JSGF V1.0; grammar g; public <a> = one;")
    #expect(try await utteranceCount(grammar) == 3)
    var phrases = request()
    phrases.keyPhrases = [KeyPhrase("one")]
    #expect(try await utteranceCount(phrases) == 3)
    let continuous = ScriptedSpeechEngine(utterances: [])
    _ = try await events(request(), on: continuous.engine)
    #expect(continuous.events.count { $0 == .began } == 3)
  }

  @Test func `a gap in the audio ends a joined utterance`() async throws {
    let buffers = audio(utterances: 3).enumerated().map { index, buffer in
      var buffer = buffer
      if index >= 30 { buffer.firstFrame = buffer.firstFrame + 160_000 }
      return buffer
    }
    let scripted = Self.scripted(["one", "two"])
    var request = request()
    request.source = SpeechRequest(buffers: stream(buffers)).source
    let results = try await events(request, on: scripted.engine).compactMap {
      if case .result(let result) = $0 { result } else { nil }
    }
    #expect(results.finals == ["one", "two", "other words"])
  }

  @Test func `while three minutes of speech are joined, at most 25 seconds of audio are held`()
    async throws
  {
    let shared = SharedEngine(traits: SpeechSessionTraits(decodeInterval: .seconds(1)))
    let recognizer = try Recognizer(
      engine: shared.engine, options: SpeechSessionOptions(), policy: EndpointPolicy(),
      detector: .energy, isLive: false, joinsUtterances: true,
      events: EventPipe(policy: .events(limit: 100_000)))
    try await recognizer.prepare()
    var most = 0
    for buffer in audio(utterances: 120) {
      try await recognizer.add(IntakeQueue.Item(buffer: buffer))
      most = max(most, await recognizer.holding.samples)
    }
    #expect(most > 5 * 16_000 && most < 25 * 16_000, "\(most)")
  }
}
