import AudioCore
import ClientDependencies
import Foundation
import SpeechClient
import SpeechClientLive
import SpeechEngine
import SyrinxTestSupport
import TestTools
import Testing

extension FakesTests {
  @Suite struct Speech {
    private static let clients: [Implementation] = [.live, .preview, .script, .replay]
    private static let sentence = "go forward ten meters"
    private let clock = TestClock()
    private let folder: TestFolder

    init() throws {
      folder = try TestFolder()
    }

    private var utterance: ScriptedUtterance {
      var utterance = ScriptedUtterance(Self.sentence)
      utterance.alternatives = ["no forward ten meters", "go four ten meters"]
      return utterance
    }

    /// Returns a request for a second of speech between two silences.
    private func speech() -> SpeechRequest {
      let signal = AudioSignal { frame, rate in
        let isLoud = (rate.hertz..<2 * rate.hertz).contains(frame)
        return AudioSignal.noise(seed: 1, amplitude: isLoud ? 0.2 : 0.001)
          .sample(at: FrameCount(frame), rate: rate)
      }
      let tenth = FrameCount(.milliseconds(100), at: .speech)
      return SpeechRequest(
        buffers: AsyncStream { audio in
          for first in stride(from: 0, to: 3 * 16_000, by: tenth.rawValue) {
            audio.yield(signal.buffer(tenth, format: .speech, firstFrame: FrameCount(first)))
          }
          audio.finish()
        })
    }

    private func make(_ implementation: Implementation) async throws -> SpeechClient {
      let script = SpeechClient.scripted(
        SpeechScript().saying(utterance, at: .zero).ending(at: .seconds(3_600)))
      switch implementation {
      case .live: return .liveValue
      case .preview: return .previewValue
      case .script: return script
      case .replay:
        let recording = folder.file("talk.jsonl")
        try await withDependencies {
          $0.continuousClock = ImmediateClock()
        } operation: {
          let client = try script.recording(to: recording)
          for _ in 0..<2 { for try await _ in await client.recognition(request: speech()) {} }
        }
        return try .replaying(recording)
      }
    }

    /// Runs `body` with a client, by default on a clock that does not wait.
    private func check(
      _ implementation: Implementation, _ function: String = #function,
      on clock: any Clock<Duration> = ImmediateClock(),
      _ body: @Sendable (SpeechClient) async throws -> Void
    ) async throws {
      let engine = ScriptedSpeechEngine(utterances: [utterance])
      try await withDependencies {
        $0.speechEngine = engine.engine
        $0.continuousClock = clock
      } operation: {
        let client = try await make(implementation)
        try await FakesTests.check(implementation, function) { try await body(client) }
      }
    }

    private func recognize(
      _ request: SpeechRequest, with client: SpeechClient
    ) async throws -> [SpeechRecognitionResult] {
      try await client.startTask(request: request).all()
    }

    private func texts(_ results: [SpeechRecognitionResult]) -> [String] {
      results.map(\.bestTranscription.formattedString)
    }

    @Test(arguments: clients)
    func `the last result of an utterance is its only final result`(
      _ implementation: Implementation
    ) async throws {
      try await check(implementation) { client in
        let results = try await recognize(speech(), with: client)
        #expect(results.count > 1)
        #expect(results.firstIndex { $0.isFinal } == results.count - 1)
        #expect(texts(results).last == Self.sentence)
      }
    }

    @Test(arguments: clients)
    func `stable words do not change`(_ implementation: Implementation) async throws {
      try await check(implementation) { client in
        let results = try await recognize(speech(), with: client)
        for (result, next) in zip(results, results.dropFirst()) {
          let stable = result.stablePrefix.segments.map(\.substring)
          #expect(next.stablePrefix.segments.map(\.substring).starts(with: stable))
        }
      }
    }

    @Test(arguments: clients)
    func `recognition reports results between the start and the end of speech`(
      _ implementation: Implementation
    ) async throws {
      try await check(implementation) { client in
        let events = try await client.recognition(request: speech()).all()
        guard case .speechStarted = events.first, case .speechEnded = events.last else {
          Issue.record("\(events)")
          return
        }
        let finals = events.compactMap { if case .result(let result) = $0 { result } else { nil } }
          .filter(\.isFinal)
        #expect(texts(finals) == [Self.sentence])
      }
    }

    @Test(arguments: clients)
    func `partial results come only if they are requested`(
      _ implementation: Implementation
    ) async throws {
      try await check(implementation) { client in
        var request = speech()
        request.shouldReportPartialResults = false
        let results = try await recognize(request, with: client)
        #expect(texts(results) == [Self.sentence])
      }
    }

    @Test(arguments: clients)
    func `finishTask ends a task after its final result`(
      _ implementation: Implementation
    ) async throws {
      try await check(implementation, on: clock) { client in
        // The noise begins after a second, because the detector treats noise at the beginning as
        // the background.
        let signal = AudioSignal.noise(seed: 1, amplitude: 0.2)
          .during(.seconds(1) ..< .seconds(3_600))
        let frame = LockIsolated<FrameCount>(0)
        let endless = AsyncThrowingStream<AudioBuffer, any Error> {
          let first = frame.withValue { frame in
            defer { frame += 1_600 }
            return frame
          }
          return signal.buffer(1_600, format: .speech, firstFrame: first)
        }
        try await clock.pass(by: .milliseconds(100)) {
          var finals: [SpeechRecognitionResult] = []
          for try await result in await client.startTask(request: SpeechRequest(buffers: endless)) {
            if result.isFinal { finals.append(result) }
            if finals.isEmpty { await client.finishTask() }
          }
          #expect(finals.count == 1)
        }
        #expect(clock.now.offset < .seconds(60))
      }
    }

    @Test(arguments: clients)
    func `key phrases are the only results if they are requested`(
      _ implementation: Implementation
    ) async throws {
      try await check(implementation) { client in
        var spotting = speech()
        spotting.keyPhrases = [KeyPhrase(" ten  meters "), KeyPhrase("stop")]
        let found = try await recognize(spotting, with: client)
        #expect(Set(found.flatMap(\.bestTranscription.segments).map(\.substring)) == ["ten meters"])
        #expect(found.filter(\.isFinal).count == 1)
        #expect(found.last?.bestTranscription.segments.first?.duration == .milliseconds(400))
        spotting = speech()
        spotting.keyPhrases = [KeyPhrase("stop")]
        #expect(try await recognize(spotting, with: client).isEmpty)
      }
    }

    @Test(arguments: clients)
    func `a request with both key phrases and a grammar is an error`(
      _ implementation: Implementation
    ) async throws {
      try await check(implementation) { client in
        var request = speech()
        request.keyPhrases = [KeyPhrase("stop")]
        request.grammar = .text("#JSGF V1.0; grammar a; public <a> = stop;")
        await #expect(
          throws: SpeechClientError.invalidRequest(
            reason: "a grammar and key phrases exclude each other; request one of them")
        ) {
          try await recognize(request, with: client)
        }
      }
    }

    @Test(arguments: clients)
    func `a language that the model lacks is an error`(
      _ implementation: Implementation
    ) async throws {
      try await check(implementation) { client in
        var request = speech()
        request.locale = "ko-KR"
        let error = await #expect(throws: SpeechClientError.self) {
          try await recognize(request, with: client)
        }
        guard case .unavailable(let reason) = error else {
          Issue.record("\(String(describing: error))")
          return
        }
        #expect(reason.contains("ko-KR"))
      }
    }

    @Test(arguments: clients)
    func `a final result has the requested number of alternatives`(
      _ implementation: Implementation
    ) async throws {
      try await check(implementation) { client in
        for count in [0, 1] {
          var request = speech()
          request.alternativeCount = count
          let results = try await recognize(request, with: client)
          #expect(results.last?.transcriptions.count == 1 + count)
        }
      }
    }

    @Test(arguments: clients)
    func `the languages of the client are listed`(_ implementation: Implementation) async throws {
      try await check(implementation) { client in
        #expect(await client.requestAuthorization() == .authorized)
        #expect(await client.supportedLocales() == ["en-US"])
        #expect(await client.engines().map(\.isInUse) == [true])
      }
    }

    @Test(arguments: clients)
    func `a file that cannot be read is an error`(_ implementation: Implementation) async throws {
      try await check(implementation) { client in
        await #expect(throws: (any Error).self) {
          try await recognize(SpeechRequest(url: folder.file("missing.wav")), with: client)
        }
      }
    }
  }
}
