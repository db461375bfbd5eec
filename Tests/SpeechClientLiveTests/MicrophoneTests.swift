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

/// A request for a microphone goes through the recorder of whoever makes it.
@Suite(.timeLimit(.minutes(5))) struct MicrophoneTests {
  private let tasks = SpeechTasks()
  private let scripted = ScriptedSpeechEngine(utterances: [
    ScriptedUtterance("go"), ScriptedUtterance("on"),
  ])

  private typealias Events = AsyncThrowingStream<SpeechRecognitionEvent, any Error>

  /// What a task tells, and what it ended with.
  private struct Told {
    var events: [SpeechRecognitionEvent] = []
    var error: AudioRecorderError?

    var finals: [String] { results.finals }

    var results: [SpeechRecognitionResult] {
      events.compactMap { if case .result(let result) = $0 { result } else { nil } }
    }

    /// When the first word of each final result begins.
    var words: [Duration] {
      results.filter(\.isFinal).compactMap(\.bestTranscription.segments.first?.timestamp)
    }

    /// What happens, with the texts of final results, and without what a busy machine decides.
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

  private func all(_ stream: Events) async -> Told {
    var told = Told()
    do {
      for try await event in stream { told.events.append(event) }
    } catch {
      told.error = error as? AudioRecorderError
    }
    return told
  }

  /// Starts a task above a recorder whose captures are this stream.
  private func hear(
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
    let told = await all(
      hear(SpeechRequest(microphone: wanted, shouldReportPartialResults: false)) { request in
        asked.withLock { $0.append(request) }
        return captured(audio(utterances: 2))
      })
    #expect(told.finals == ["go", "on"])
    #expect(told.error == nil)
    #expect(asked.withLock { $0 } == [wanted])
  }

  @Test func `a failure of the capture ends the stream unchanged, after the results so far`() async
  {
    let lost = AudioRecorderError.deviceLost("hw:1")
    // The microphone goes in the middle of the second utterance.
    let told = await all(
      hear(SpeechRequest(microphone: .speech)) { _ in
        captured(Array(audio(utterances: 2).prefix(28)), lost)
      })
    #expect(told.finals == ["go", "on"])
    #expect(told.error == lost)
    let denied = AudioRecorderError.device(nil, reason: "join the group audio")
    let refused = await all(
      hear(SpeechRequest(microphone: .speech)) { _ in captured([], denied) })
    #expect(refused.events.isEmpty && refused.error == denied)
  }

  @Test func `a minute of a microphone's audio may wait, unless the request says otherwise`() {
    let request = SpeechRequest(microphone: .speech)
    #expect(request.backPressure == .buffer(upTo: .seconds(60)))
    #expect(SpeechRequest(source: .microphone(.speech)).backPressure == .wait)
  }

  @Test func `samples that were silenced at the microphone are reported, before their block`()
    async throws
  {
    var blocks = audio(utterances: 1).map { CapturedAudio(buffer: $0, time: .zero) }
    blocks[3].nonFiniteCount = 2
    let captured = blocks
    let told = await all(
      hear(SpeechRequest(microphone: .speech)) { _ in
        AsyncThrowingStream { continuation in
          for block in captured { continuation.yield(block) }
          continuation.finish()
        }
      })
    let dropped = told.events.filter { if case .dropped = $0 { true } else { false } }
    let stretch = Duration.milliseconds(300) ..< .milliseconds(400)
    #expect(dropped == [.dropped(stretch, reason: .nonFinite(sampleCount: 2))])
    #expect(told.steps.first == "dropped" && told.finals == ["go"])
  }

  // MARK: On the real recorder, above a virtual card

  /// A card that hears the audio of `audio(utterances:)` without an end, and its time.
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
        .init(pace: .lockstep(clock), microphone: .signal(signal), faults: faults))
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

  @Test func `cancelling closes the device`() async {
    let room = Room()
    let stream = listen(in: room)
    let listening = Task { await all(stream) }
    await room.clock.pass { await scripted.waitUntil(.began) }
    #expect(room.card.openDeviceCount == 1)
    listening.cancel()
    let told = await listening.value
    #expect(told.error == nil)
    await room.closed.wait()
    await scripted.waitUntil(.released)
    #expect(room.card.openDeviceCount == 0)
    #expect(tasks.all.isEmpty)
  }

  @Test func `finishing returns what was captured, and closes the device`() async {
    let room = Room()
    let stream = listen(in: room)
    let listening = Task { await all(stream) }
    await room.clock.pass { await scripted.waitUntil(.began) }
    await tasks.finishAll()
    let told = await listening.value
    // The card may be further on than the recognizer.
    #expect(told.finals.first == "go")
    #expect(told.error == nil)
    await room.closed.wait()
    #expect(room.card.openDeviceCount == 0)
  }

  @Test func `frames that the card lost are a gap, and a plug that is pulled is the end`() async {
    // At the card's 48 kHz: a second after 1.2 s, and the plug after 4 s.
    let room = Room(faults: [.xrun(at: 57_600, lost: 48_000), .unplugged(at: 192_000)])
    let stream = listen(in: room)
    let listening = Task { await all(stream) }
    await room.clock.pass { _ = await listening.value }
    let told = await listening.value
    #expect(told.error == .deviceLost("virtual"))
    let dropped = told.events.compactMap {
      if case .dropped(let range, reason: .gap) = $0 { range } else { nil }
    }
    // What the card held when it lost them, a period at most, comes behind them.
    let begin = dropped.first?.lowerBound ?? .zero
    #expect(begin >= .milliseconds(1_170) && begin <= .milliseconds(1_201), "\(dropped)")
    let length = dropped.first.map { $0.upperBound - $0.lowerBound } ?? .zero
    #expect(length >= .milliseconds(999) && length <= .milliseconds(1_001), "\(dropped)")
    // Speech begins at 1 s and, on the same time-line, at 2.5 s; words lie where it does.
    let starts = told.events.compactMap {
      if case .speechStarted(let time) = $0 { time } else { nil }
    }
    #expect(zip(starts, [1, 2.5]).allSatisfy { abs($0.inSeconds - $1) < 0.015 }, "\(starts)")
    #expect(zip(told.words, [0.7, 2.2]).allSatisfy { abs($0.inSeconds - $1) < 0.015 })
    #expect(
      told.steps == [
        "speechStarted", "go", "speechEnded", "dropped", "speechStarted", "on", "speechEnded",
      ])
    await room.closed.wait()
    #expect(room.card.openDeviceCount == 0)
  }
}
