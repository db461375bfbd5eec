import AudioCore
import AudioPlayerClient
import AudioPlayerClientLive
import AudioRecorderClient
import AudioRecorderClientLive
import ClientDependencies
import Foundation
import SoundCard
import SpeechClient
import SpeechClientLive
import SpeechEngine
import SyrinxTestSupport
import Testing

/// A feature that beeps, and records until someone says "stop" or nobody speaks.
@MainActor private final class VoiceNote {
  private(set) var words: [String] = []
  private(set) var finish: RecordingFinish?
  @Dependency(\.audioPlayer) private var player
  @Dependency(\.audioRecorder) private var recorder
  @Dependency(\.speechClient) private var speech

  func record(_ url: URL) async throws {
    let beep = AudioSignal.sine(880).buffer(.milliseconds(300), format: .speech)
    for try await _ in await player.playback(request: PlaybackRequest(source: .buffers([beep]))) {}
    let listening = Task { try await listen() }
    let request = RecordingRequest(
      url: url, endAfterSilence: LevelRule(threshold: Decibels(-40), hold: .milliseconds(1_200)))
    for try await event in await recorder.recording(request: request) {
      if case .finished(let finish) = event { self.finish = finish }
    }
    await speech.finishTask()
    try await listening.value
  }

  private func listen() async throws {
    for try await result in await speech.startTask(request: SpeechRequest(microphone: .speech))
    where result.isFinal {
      words.append(result.bestTranscription.formattedString)
      if words.last == "stop" { await recorder.stopRecording() }
    }
  }
}

/// Features that open devices one after another, timed by a test clock.
@MainActor @Suite(.timeLimit(.minutes(30))) struct ClosedLoopTests {
  /// The number of runs of each feature; `Tests/nightly.sh closed-loops` sets more.
  nonisolated static let runCount =
    ProcessInfo.processInfo.environment["SYRINX_TEST_LOOPS"].flatMap(Int.init) ?? 5

  /// The microphone's signal: speech from 1 s to 2 s and from 3 s to 4 s.
  ///
  /// Unless a word stops the recording, it ends after 1.2 s of silence.
  private let room = AudioSignal.noise(seed: 1, bandwidth: 7_000)
    .during(.seconds(1) ..< .seconds(2), .seconds(3) ..< .seconds(4))

  @Test func `a recording stopped by a spoken word ends at the same frame in every run`()
    async throws
  {
    var lengths: Set<FrameCount> = []
    for _ in 0..<Self.runCount {
      let finish = try await run()
      #expect(finish?.reason == .stopped)
      lengths.insert(finish?.frameCount ?? 0)
    }
    // The recording begins with the end of the beep at 0.325 s, and ends with the word at 4.965 s.
    #expect(lengths == [222_720])
  }

  /// A session whose first call does not return until it is released.
  private final class BlockedSession: SpeechEngineSession {
    private let began: AsyncStream<Void>.Continuation
    private let released: DispatchSemaphore

    init(_ began: AsyncStream<Void>.Continuation, _ released: DispatchSemaphore) {
      (self.began, self.released) = (began, released)
    }

    var hypothesis: SpeechHypothesis { SpeechHypothesis() }
    func process(_ samples: [Float]) {}
    func finishUtterance() -> SpeechHypothesis { SpeechHypothesis() }

    func beginUtterance() {
      began.yield()
      released.wait()
      released.signal()
    }
  }

  @Test func `if a recognizer blocks an advance of the clock, the issue names the recognizer`()
    async throws
  {
    let clock = TestClock()
    let card = VirtualSoundCard(pace: .lockstep(clock), microphone: .signal(room))
    let (begins, began) = AsyncStream.makeStream(of: Void.self)
    let released = DispatchSemaphore(value: 0)
    await withDependencies {
      $0.audioRecorder = .liveValue
      $0.speechClient = .liveValue
      $0.continuousClock = clock
      $0.soundCard = card.soundCard
      $0.speechEngine = SpeechEngine(
        name: "blocked",
        availability: { .ready(SpeechModel(language: "en-US", location: "test")) },
        makeSession: { _ in BlockedSession(began, released) })
    } operation: {
      @Dependency(\.speechClient) var speech
      let listening = Task { [speech] in
        for try await _ in await speech.startTask(request: SpeechRequest(microphone: .speech)) {}
      }
      let advancing = Task { await clock.advance(until: listening) }
      for await _ in begins { break }
      await withKnownIssue {
        await clock.advance(until: listening, timeout: .zero)
      } matching: {
        "\($0)".contains("No answer from:") && "\($0)".contains("a recognizer")
      }
      released.signal()
      await advancing.value
      _ = await listening.result
    }
  }

  private func run() async throws -> RecordingFinish? {
    let clock = TestClock()
    let card = VirtualSoundCard(pace: .lockstep(clock), microphone: .signal(room))
    let scripted = ScriptedSpeechEngine(utterances: [
      ScriptedUtterance("go on"), ScriptedUtterance("stop"),
    ])
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).wav")
    defer { try? FileManager.default.removeItem(at: url) }
    return try await withDependencies {
      $0.audioPlayer = .liveValue
      $0.audioRecorder = .liveValue
      $0.speechClient = .liveValue
      $0.continuousClock = clock
      $0.soundCard = card.soundCard
      $0.speechEngine = scripted.engine
    } operation: {
      let note = VoiceNote()
      let taking = Task { try await note.record(url) }
      await clock.advance(until: taking)
      try await taking.value
      #expect(note.words == ["go on", "stop"])
      return note.finish
    }
  }
}
