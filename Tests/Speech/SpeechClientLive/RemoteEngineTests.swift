import AudioCore
import AudioThreads
import ClientDependencies
import SpeechClient
import SpeechEngine
import Synchronization
import Testing

@testable import SpeechClientLive

/// Engines in another process or on another machine, which may fail and respond slowly.
@Suite struct RemoteEngineTests {
  private let tasks = SpeechTasks()

  private func events(
    _ failures: [Int: SpeechEngineError], utterances: Int = 4, isRemote: Bool = true,
    partials: Bool = false
  ) async -> (told: [String], error: SpeechClientError?, sessions: Int) {
    let frail = FrailEngine(failures, survives: isRemote)
    var engine = frail.engine
    engine.isRemote = isRemote
    let events = withDependencies {
      $0.speechEngine = engine
    } operation: {
      tasks.events(
        of: SpeechRequest(
          buffers: stream(audio(utterances: utterances)), shouldReportPartialResults: partials))
    }
    var told: [String] = []
    do {
      for try await event in events {
        switch event {
        case .speechStarted: told.append("(")
        case .speechEnded: told.append(")")
        case .dropped(let times, .engineFailed(let error)):
          #expect(times.upperBound > times.lowerBound)
          told.append(error == .engineFailed(reason: "crash") ? "lost" : "\(error)")
        case .result(let result) where partials:
          let word = result.isFinal ? "final" : "partial"
          if told.last != "\(word) \(result.utterance)" {
            told.append("\(word) \(result.utterance)")
          }
          let text = result.bestTranscription.formattedString
          #expect(text.hasPrefix(result.isFinal ? "" : "part"), "\(text)")
        case .result(let result): told.append(result.bestTranscription.formattedString)
        default: break
        }
      }
      return (told, nil, frail.sessionCount)
    } catch {
      return (told, error as? SpeechClientError, frail.sessionCount)
    }
  }

  private let crash = SpeechEngineError.failed(reason: "crash")

  @Test func `a failure loses one utterance, and the next utterance gets a new session`() async {
    let (told, error, sessions) = await events([1: crash])
    #expect(told.joined(separator: " ") == "( 0 ) ( lost ) ( 2 ) ( 3 )")
    #expect(error == nil)
    #expect(sessions == 2)
  }

  @Test func `a lost utterance ends, and its number is not reused`() async {
    // In utterances 2 and 5, `finishUtterance` fails.
    let (told, error, _) = await events(
      [0: crash, 2: crash, 4: crash, 5: crash], utterances: 7, partials: true)
    #expect(
      told == [
        "(", "lost", ")", "(", "partial 0", "final 0", ")", "(", "partial 1", "lost", ")",
        "(", "partial 2", "final 2", ")", "(", "lost", ")", "(", "partial 3", "lost", ")",
        "(", "partial 4", "final 4", ")",
      ])
    #expect(error == nil)
  }

  @Test func `three failures in a row end the stream with the error of the last failure`() async {
    let gone = SpeechEngineError.unreachable(address: "there", reason: "gone")
    let (told, error, sessions) = await events([0: crash, 1: crash, 2: gone])
    #expect(told.joined(separator: " ") == "( lost ) ( lost ) (")
    #expect(error == .unavailable(reason: gone.description))
    #expect(sessions == 3)
  }

  @Test func `a success resets the count of failures`() async {
    let (told, error, _) = await events([0: crash, 1: crash, 3: crash, 4: crash], utterances: 6)
    #expect(
      told.joined(separator: " ") == "( lost ) ( lost ) ( 2 ) ( lost ) ( lost ) ( 5 )")
    #expect(error == nil)
  }

  @Test func `if no utterance succeeds after a failure, the stream ends with its error`() async {
    let (told, error, _) = await events([1: crash], utterances: 2)
    #expect(told.joined(separator: " ") == "( 0 ) ( lost )")
    #expect(error == .engineFailed(reason: "crash"))
  }

  @Test func `a permanent failure ends the stream at once`() async {
    let wrong = SpeechEngineError.languageMissing(wanted: "fr", available: "en")
    let (told, error, _) = await events([1: wrong])
    #expect(told.joined(separator: " ") == "( 0 ) (")
    #expect(error == .unavailable(reason: wrong.description))
  }

  @Test func `a failure of an engine in this process ends the stream`() async {
    let (told, error, _) = await events([1: crash], isRemote: false)
    #expect(told.joined(separator: " ") == "( 0 ) (")
    #expect(error == .engineFailed(reason: "crash"))
  }

  @Test func `a remote engine is queried for its status only on request, and the status is kept`()
    async
  {
    let asked = Mutex(0)
    var engine = FrailEngine([:]).engine
    engine.isRemote = true
    engine.availability = {
      asked.withLock { $0 += 1 }
      return .unavailable(.failed(reason: ""))
    }
    await withDependencies {
      $0.speechEngine = engine
    } operation: {
      let before = tasks.authorizationStatus()
      #expect(before == .notDetermined)
      let requested = await tasks.requestAuthorization()
      #expect(requested == .authorized)
      let after = tasks.authorizationStatus()
      #expect(after == .authorized)
    }
    #expect(asked.withLock { $0 } == 0)
  }

  @Test func `a canceled request for the status returns while the engine still loads`()
    async
  {
    let blocking = BlockingEngine(in: .making)
    let request = withDependencies {
      $0.speechEngine = blocking.engine
    } operation: {
      Task { await tasks.requestAuthorization() }
    }
    await blocking.reached.wait()
    request.cancel()
    let status = await request.value
    #expect(status == .notDetermined)
    blocking.release()
  }

  @Test func `a canceled listing of engines returns while an engine still blocks`() async {
    let blocking = BlockingEngine(in: .making)
    var engine = blocking.engine
    engine.availability = {
      _ = try? blocking.engine.makeSession(SpeechSessionOptions())
      return .unavailable(.failed(reason: ""))
    }
    let look = withDependencies {
      $0.speechEngine = engine
      $0.speechEngines = [engine]
    } operation: {
      Task { await SpeechEngine.installedDescriptions() }
    }
    await blocking.reached.wait()
    look.cancel()
    let engines = await look.value
    #expect(engines.isEmpty)
    blocking.release()
  }
}

/// An engine that fails in some utterances, each time in another call, and recognizes the number of
/// the utterance in all others.
private final class FrailEngine: Sendable {
  private let failures: [Int: SpeechEngineError]
  private let survives: Bool
  private let counts = Mutex((sessions: 0, utterances: 0))

  init(_ failures: [Int: SpeechEngineError], survives: Bool = true) {
    (self.failures, self.survives) = (failures, survives)
  }

  var sessionCount: Int { counts.withLock { $0.sessions } }

  var engine: SpeechEngine {
    SpeechEngine(
      name: "frail",
      availability: { .ready(SpeechModel(language: "en-US", location: "test")) },
      makeSession: { _ in
        self.counts.withLock { $0.sessions += 1 }
        return Session(engine: self)
      })
  }

  private final class Session: SpeechEngineSession {
    private let engine: FrailEngine
    private var index = 0

    init(engine: FrailEngine) {
      self.engine = engine
    }

    var traits: SpeechSessionTraits {
      var traits = SpeechSessionTraits()
      traits.survivesFailure = engine.survives
      return traits
    }

    var hypothesis: SpeechHypothesis {
      SpeechHypothesis(words: [SpeechHypothesis.Word("part\(index)", frames: 0..<3200)])
    }

    func beginUtterance() throws(SpeechEngineError) {
      index = engine.counts.withLock { counts in
        defer { counts.utterances += 1 }
        return counts.utterances
      }
      try fail(inCall: 0)
    }

    func process(_ samples: [Float]) throws(SpeechEngineError) { try fail(inCall: 1) }

    func finishUtterance() throws(SpeechEngineError) -> SpeechHypothesis {
      try fail(inCall: 2)
      return SpeechHypothesis(words: [SpeechHypothesis.Word("\(index)", frames: 0..<3200)])
    }

    private func fail(inCall call: Int) throws(SpeechEngineError) {
      if index % 3 == call, let error = engine.failures[index] { throw error }
    }
  }
}
