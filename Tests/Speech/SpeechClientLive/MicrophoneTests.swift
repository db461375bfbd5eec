import AudioCore
import AudioRecorderClient
import AudioRecorderClientLive
import AudioThreads
import ClientDependencies
import SoundCard
import SpeechClient
import SpeechEngine
import Synchronization
import SyrinxTestSupport
import TestTools
import Testing

@testable import SpeechClientLive

/// Tasks that recognize a microphone capture with the `\.audioRecorder` of their caller.
@Suite(.timeLimit(.minutes(5))) struct MicrophoneTests {
  private let tasks = SpeechTasks()
  private let scripted = ScriptedSpeechEngine(utterances: [
    ScriptedUtterance("go"), ScriptedUtterance("on"),
  ])

  private typealias Events = AsyncThrowingStream<SpeechRecognitionEvent, any Error>

  /// The events of a task and the error that ended it.
  private struct Outcome {
    var events: [SpeechRecognitionEvent] = []
    var error: AudioRecorderError?

    var finals: [String] { results.finals }

    var results: [SpeechRecognitionResult] {
      events.compactMap { if case .result(let result) = $0 { result } else { nil } }
    }

    /// The times at which the first word of each final result begins.
    var words: [Duration] {
      results.filter(\.isFinal).compactMap(\.bestTranscription.segments.first?.timestamp)
    }

    /// The kinds of events, with the texts of final results; lags are omitted, because they depend
    /// on the speed of the machine.
    var steps: [String] {
      events.compactMap { event in
        switch event {
        case .lagging: nil
        case .result(let result): result.isFinal ? result.bestTranscription.formattedString : nil
        default: String("\(event)".prefix { $0 != "(" })
        }
      }
    }
  }

  private func all(_ stream: Events) async -> Outcome {
    var outcome = Outcome()
    do {
      for try await event in stream { outcome.events.append(event) }
    } catch {
      outcome.error = error as? AudioRecorderError
    }
    return outcome
  }

  /// Starts a recognition task whose microphone is this capture.
  private func recognize(
    _ request: SpeechRequest,
    capture: @escaping @Sendable (CaptureRequest) -> AsyncThrowingStream<CapturedAudio, any Error>
  ) -> Events {
    withDependencies {
      $0.speechEngine = scripted.engine
      $0.audioRecorder.capture = { capture($0) }
    } operation: {
      tasks.events(of: request)
    }
  }

  private func captured(
    _ buffers: [AudioBuffer], _ error: (any Error)? = nil
  ) -> AsyncThrowingStream<CapturedAudio, any Error> {
    AsyncThrowingStream { continuation in
      for buffer in buffers { continuation.yield(CapturedAudio(buffer: buffer, time: .zero)) }
      continuation.finish(throwing: error)
    }
  }

  @Test func `replacing the recorder replaces the microphone`() async throws {
    var wanted = CaptureRequest.speech
    wanted.device = "hw:1"
    let asked = Mutex<[CaptureRequest]>([])
    let outcome = await all(
      recognize(SpeechRequest(microphone: wanted, shouldReportPartialResults: false)) { request in
        asked.withLock { $0.append(request) }
        return captured(audio(utterances: 2))
      })
    #expect(outcome.finals == ["go", "on"])
    #expect(outcome.error == nil)
    #expect(asked.withLock { $0 } == [wanted])
  }

  @Test func `only the requested channels are captured`() async throws {
    let asked = Mutex<[CaptureRequest]>([])
    for channels in [SpeechRequest.Channels.mixed, .only(2), .separate] {
      for captured in [nil, [4, 5, 6]] {
        var request = SpeechRequest(microphone: .speech, shouldReportPartialResults: false)
        var capture = CaptureRequest.speech
        capture.channels = captured
        (request.source, request.channels) = (.microphone(capture), channels)
        let outcome = await all(
          recognize(request) { request in
            asked.withLock { $0.append(request) }
            return self.captured(audio(utterances: 2))
          })
        #expect(outcome.finals == ["go", "on"] && outcome.results.allSatisfy { $0.channel == nil })
      }
    }
    let requests = asked.withLock { $0 }
    #expect(requests.map(\.channelCount) == [1, 1, 1, 1, nil, nil])
    #expect(requests.map(\.channels) == [nil, [4, 5, 6], [2], [6], nil, [4, 5, 6]])
  }

  @Test func `an error of the capture is thrown unchanged, after the results so far`() async {
    let lost = AudioRecorderError.deviceLost("hw:1")
    // The microphone is lost in the middle of the second utterance.
    let outcome = await all(
      recognize(SpeechRequest(microphone: .speech)) { _ in
        captured(Array(audio(utterances: 2).prefix(28)), lost)
      })
    #expect(outcome.finals == ["go", "on"])
    #expect(outcome.error == lost)
    let denied = AudioRecorderError.device(nil, reason: "join the group audio")
    let refused = await all(
      recognize(SpeechRequest(microphone: .speech)) { _ in captured([], denied) })
    #expect(refused.events.isEmpty && refused.error == denied)
  }

  @Test func `by default, a microphone request allows a backlog of a minute`() {
    let request = SpeechRequest(microphone: .speech)
    #expect(request.backPressure == .buffer(upTo: .seconds(60)))
    #expect(SpeechRequest(source: .microphone(.speech)).backPressure == .wait)
  }

  @Test(arguments: [
    (SpeechRequest.BackPressure.wait, Duration.seconds(2)),
    (.buffer(upTo: .seconds(1)), .seconds(2)),
    (.buffer(upTo: .seconds(30)), .seconds(30)),
  ])
  func `a capture drops no audio before the requested backlog is full`(
    backPressure: SpeechRequest.BackPressure, expected: Duration
  ) async {
    var request = SpeechRequest(microphone: CaptureRequest(droppingOldestAfter: .seconds(2)))
    request.backPressure = backPressure
    let limits = Mutex<[Duration]>([])
    _ = await all(
      recognize(request) { capture in
        limits.withLock { $0.append(capture.droppingOldestAfter) }
        return captured([])
      })
    #expect(limits.withLock { $0 } == [expected])
  }

  @Test func `non-finite samples of a captured block are reported before the block's results`()
    async throws
  {
    var blocks = audio(utterances: 1).map { CapturedAudio(buffer: $0, time: .zero) }
    blocks[3].nonFiniteCount = 2
    let captured = blocks
    let outcome = await all(
      recognize(SpeechRequest(microphone: .speech)) { _ in
        AsyncThrowingStream { continuation in
          for block in captured { continuation.yield(block) }
          continuation.finish()
        }
      })
    let dropped = outcome.events.filter { if case .dropped = $0 { true } else { false } }
    let stretch = Duration.milliseconds(300) ..< .milliseconds(400)
    #expect(dropped == [.dropped(stretch, reason: .nonFinite(sampleCount: 2))])
    #expect(outcome.steps.first == "dropped" && outcome.finals == ["go"])
  }

  // MARK: With the live recorder on a virtual sound card

  /// A sound card that captures the endless audio of `audio(utterances:)`, and its clock.
  private final class Room: Sendable {
    let clock = TestClock()
    let card: VirtualSoundCard
    let closed = Gate()

    init(faults: [VirtualFault] = []) {
      let signal = AudioSignal { frame, rate in
        let step = rate.hertz
        let isLoud = frame % (step * 3 / 2) >= step
        return AudioSignal.noise(seed: 1, amplitude: isLoud ? 0.2 : 0.001)
          .sample(at: FrameCount(frame), rate: rate)
      }
      card = VirtualSoundCard(
        pace: .lockstep(clock), microphone: .signal(signal), faults: faults)
    }

    var soundCard: SoundCard {
      var soundCard = card.soundCard
      soundCard.openCapture = { [card, closed] request in
        WatchedCapture(try await card.soundCard.openCapture(request: request), closed)
      }
      return soundCard
    }
  }

  private func listen(in room: Room) -> Events {
    withDependencies {
      $0.speechEngine = scripted.engine
      $0.soundCard = room.soundCard
      $0.audioRecorder = .liveValue
    } operation: {
      tasks.events(of: SpeechRequest(microphone: .speech))
    }
  }

  @Test func `canceling closes the device`() async {
    let room = Room()
    let stream = listen(in: room)
    let listening = Task { await all(stream) }
    await room.clock.pass { await scripted.waitUntil(.began) }
    #expect(room.card.openDeviceCount == 1)
    listening.cancel()
    let outcome = await listening.value
    #expect(outcome.error == nil)
    await room.closed.wait()
    await scripted.waitUntil(.released)
    #expect(room.card.openDeviceCount == 0)
    #expect(tasks.all.isEmpty)
  }

  @Test func `finishing recognizes the captured audio and closes the device`() async {
    let room = Room()
    let stream = listen(in: room)
    let listening = Task { await all(stream) }
    await room.clock.pass { await scripted.waitUntil(.began) }
    await tasks.finishAll()
    let outcome = await listening.value
    // More results may follow, because the device may already have captured the next utterances.
    #expect(outcome.finals.first == "go")
    #expect(outcome.error == nil)
    await room.closed.wait()
    #expect(room.card.openDeviceCount == 0)
  }

  @Test func `frames lost by the device are a gap, and an unplugged device ends the stream`() async
  {
    // At the device's 48 kHz: a second is lost after 1.2 s, and the device after 4 s.
    let room = Room(faults: [.xrun(at: 57_600, lost: 48_000), .unplugged(at: 192_000)])
    let stream = listen(in: room)
    let listening = Task { await all(stream) }
    await room.clock.pass { _ = await listening.value }
    let outcome = await listening.value
    #expect(outcome.error == .deviceLost("virtual"))
    let dropped = outcome.events.compactMap {
      if case .dropped(let range, reason: .gap) = $0 { range } else { nil }
    }
    // At 1.2 s, the device still holds up to a period of unread frames. They arrive after the gap,
    // so the gap begins before 1.2 s.
    let begin = dropped.first?.lowerBound ?? .zero
    #expect(begin >= .milliseconds(1_170) && begin <= .milliseconds(1_201), "\(dropped)")
    let length = dropped.first.map { $0.upperBound - $0.lowerBound } ?? .zero
    #expect(length >= .milliseconds(999) && length <= .milliseconds(1_001), "\(dropped)")
    // Speech begins at 1 s and, despite the gap, at 2.5 s. The words begin 0.3 s earlier, at the
    // pre-roll.
    let starts = outcome.events.compactMap {
      if case .speechStarted(let time) = $0 { time } else { nil }
    }
    #expect(zip(starts, [1, 2.5]).allSatisfy { abs($0.inSeconds - $1) < 0.015 }, "\(starts)")
    #expect(zip(outcome.words, [0.7, 2.2]).allSatisfy { abs($0.inSeconds - $1) < 0.015 })
    #expect(
      outcome.steps == [
        "speechStarted", "go", "speechEnded", "dropped", "speechStarted", "on", "speechEnded",
      ])
    await room.closed.wait()
    #expect(room.card.openDeviceCount == 0)
  }
}
