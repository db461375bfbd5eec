import AudioCore
import AudioRecorderClient
import AudioThreads
import ClientDependencies
import Foundation
import SoundFile
import SpeechClient
import SpeechEngine
import Synchronization
import SyrinxTestSupport
import Testing

@testable import SpeechClientLive

/// Streams that are faster than the engine.
@Suite(.timeLimit(.minutes(5))) struct LiveSourceTests {
  private let tasks = SpeechTasks()

  /// A source whose buffers are available at once, and which ends when `end` opens.
  private final class Source: Sendable {
    let drained = Gate()
    let end = Gate()
    /// The source delivers buffer number `held` only once this gate is open.
    let more = Gate()
    private let held: Int
    private let rest: Mutex<ArraySlice<AudioBuffer>>

    init(_ buffers: [AudioBuffer], holding held: Int) {
      self.held = held
      rest = Mutex(buffers[...])
    }

    var buffers: AsyncStream<AudioBuffer> { AsyncStream { await self.next() } }

    /// The buffers, each in a block like those of a microphone.
    var captured: AsyncThrowingStream<CapturedAudio, any Error> {
      AsyncThrowingStream { await self.next().map { CapturedAudio(buffer: $0, time: .zero) } }
    }

    private func next() async -> AudioBuffer? {
      if let (index, next) = rest.withLock({ rest in
        rest.popFirst().map { (rest.startIndex - 1, $0) }
      }) {
        if index == held { await more.wait() }
        return next
      }
      drained.open()
      await end.wait()
      return nil
    }

    var isDrained: Bool { drained.isOpen }
  }

  private func events(
    _ request: SpeechRequest, on engine: SpeechEngine
  ) -> AsyncThrowingStream<SpeechRecognitionEvent, any Error> {
    withDependencies {
      $0.speechEngine = engine
    } operation: {
      tasks.events(of: request)
    }
  }

  /// Returns a request for a stream, or for a microphone, with a backlog of up to two seconds.
  private func requestWithBacklog(_ source: Source, isMicrophone: Bool) -> SpeechRequest {
    if isMicrophone {
      return SpeechRequest(source: .microphone(CaptureRequest(droppingOldestAfter: .seconds(2))))
    }
    var request = SpeechRequest(buffers: source.buffers)
    request.backPressure = .buffer(upTo: .seconds(2))
    return request
  }

  @Test(arguments: [false, true])
  func `audio beyond the limit is dropped and reported, and timestamps stay correct`(
    isMicrophone: Bool
  ) async throws {
    let blocking = BlockingEngine(in: .beginning)
    let source = Source(audio(utterances: 3), holding: 12)
    let stream = withDependencies {
      $0.audioRecorder.capture = { _ in source.captured }
    } operation: {
      self.events(requestWithBacklog(source, isMicrophone: isMicrophone), on: blocking.engine)
    }
    await blocking.reached.wait()
    source.more.open()
    await source.drained.wait()
    blocking.release()
    source.end.open()
    var events: [SpeechRecognitionEvent] = []
    for try await event in stream { events.append(event) }
    let dropped = events.compactMap {
      if case .dropped(let range, reason: .engineTooSlow) = $0 { range } else { nil }
    }
    // The loud parts begin at 1 s, 2.5 s, and 4 s, and the audio ends at 5.5 s. Two buffers (0.2 s)
    // are dropped at a time, so the remaining backlog is 1.9 or 2 s.
    #expect([3_500, 3_600].map { [.milliseconds($0)] }.contains(dropped.map(\.upperBound)))
    #expect(
      dropped.first.map { $0.lowerBound >= .seconds(1) && $0.lowerBound < .milliseconds(1300) }
        == true)
    let starts = events.compactMap { if case .speechStarted(let time) = $0 { time } else { nil } }
    #expect(starts == [.seconds(1), .seconds(4)])
    let words = events.compactMap { event -> Duration? in
      if case .result(let result) = event, result.isFinal {
        result.bestTranscription.segments.first?.timestamp
      } else {
        nil
      }
    }
    #expect(words == [.milliseconds(700), .milliseconds(3700)])
    let lags = events.compactMap { if case .lagging(let lag) = $0 { lag } else { nil } }
    // An unread lag is replaced by the next lag.
    #expect(lags.allSatisfy { $0 <= .seconds(2) } && lags.last == .zero)
    // The dropped audio is not reported a second time, as a gap.
    #expect(events.count { if case .dropped = $0 { true } else { false } } == 1)
    let kinds = events.map { "\($0)".prefix { $0 != "(" } }
    #expect(kinds.drop { $0 != "speechEnded" }.dropFirst().first == "dropped", "\(kinds)")
  }

  @Test func `no audio is lost from a file, or from a stream that may wait`() async throws {
    let blocking = BlockingEngine(in: .beginning)
    let source = Source(audio(utterances: 3), holding: 0)
    source.more.open()
    let stream = events(SpeechRequest(buffers: source.buffers), on: blocking.engine)
    await blocking.reached.wait()
    #expect(!source.isDrained)
    blocking.release()
    source.end.open()
    var finals = 0
    for try await event in stream {
      if case .result(let result) = event, result.isFinal { finals += 1 }
      if case .dropped = event { Issue.record("something was dropped") }
      if case .lagging = event { Issue.record("something lagged") }
    }
    #expect(finals == 3)
  }

  @Test
  func `a file is read only as fast as it is recognized, whatever back pressure is requested`()
    async throws
  {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).wav")
    defer { try? FileManager.default.removeItem(at: url) }
    let writer = try SoundFileWriter(url: url, format: .speech, encoding: .wavFloat)
    for buffer in audio(utterances: 3) { try writer.write(buffer) }
    try writer.close()
    let blocking = BlockingEngine(in: .beginning)
    var request = SpeechRequest(url: url, shouldReportPartialResults: false)
    request.backPressure = .buffer(upTo: .zero)
    let stream = events(request, on: blocking.engine)
    await blocking.reached.wait()
    // This loop reads the whole file, so a task that did not wait would have time to read it all,
    // too.
    for try await _ in SoundFile.buffers(of: url) {}
    blocking.release()
    var kinds: [String] = []
    for try await event in stream { kinds.append(String("\(event)".prefix { $0 != "(" })) }
    let utterance = ["speechStarted", "result", "speechEnded"]
    #expect(kinds == utterance + utterance + utterance)
  }

  @Test(arguments: [SpeechRequest.BackPressure.wait, .buffer(upTo: .seconds(60))])
  func `a gap ends the utterance and is reported, at any sample rate`(
    backPressure: SpeechRequest.BackPressure
  ) async throws {
    let format = AudioFormat(sampleRate: 44_100, channelCount: 2)
    let lost = FrameCount(.milliseconds(12_345), at: format.sampleRate)
    // The speech begins at 1 s; frames are missing after 1.2 s.
    let buffers = audio(utterances: 1, format: format).enumerated().map { index, buffer in
      var buffer = buffer
      if index >= 12 { buffer.firstFrame = buffer.firstFrame + lost }
      return buffer
    }
    var request = SpeechRequest(buffers: stream(buffers), shouldReportPartialResults: false)
    request.backPressure = backPressure
    let scripted = ScriptedSpeechEngine(utterances: [])
    var events: [SpeechRecognitionEvent] = []
    for try await event in self.events(request, on: scripted.engine) {
      if case .lagging = event { continue }
      if !event.isWithoutWords { events.append(event) }
    }
    let begin = Duration.milliseconds(1200)
    let end = buffers[12].firstFrame.duration(at: format.sampleRate)
    #expect(
      Array(events.dropFirst().prefix(3)) == [
        .speechEnded(at: begin), .dropped(begin..<end, reason: .gap),
        .speechStarted(at: .milliseconds(13_545)),
      ])
    #expect(events.first.map { "\($0)".hasPrefix("speechStarted") } == true, "\(events)")
  }

  @Test(arguments: [SpeechRecognitionEvent.DropReason.gap, .engineTooSlow])
  func `a short loss does not split an utterance, whatever the reason for the loss`(
    reason: SpeechRecognitionEvent.DropReason
  ) async throws {
    let pipe = EventPipe(policy: .events())
    let recognizer = try Recognizer(
      engine: ScriptedSpeechEngine(utterances: []).engine, options: SpeechSessionOptions(),
      policy: EndpointPolicy(), detector: .energy, isLive: true, events: pipe)
    try await recognizer.prepare()
    let lost = Duration.milliseconds(1200) ..< .milliseconds(1205)
    for (index, buffer) in audio(utterances: 1).enumerated() {
      var item = IntakeQueue.Item(buffer: buffer)
      if index >= 12 { item.buffer.firstFrame = buffer.firstFrame + 80 }
      if index == 12 { item.losses = [.dropped(lost, reason: reason)] }
      try await recognizer.add(item)
    }
    try await recognizer.finish()
    pipe.finish()
    var events: [SpeechRecognitionEvent] = []
    for try await event in pipe.stream() where !event.isWithoutWords { events.append(event) }
    #expect(
      events == [
        .speechStarted(at: .seconds(1)), .dropped(lost, reason: reason),
        .speechEnded(at: .milliseconds(1510)),
      ])
  }

  @Test func `a short gap is reported and does not split an utterance`() async throws {
    let buffers = audio(utterances: 1).enumerated().map { index, buffer in
      var buffer = buffer
      if index >= 12 { buffer.firstFrame = buffer.firstFrame + 80 }
      return buffer
    }
    let scripted = ScriptedSpeechEngine(utterances: [])
    var events: [SpeechRecognitionEvent] = []
    let request = SpeechRequest(buffers: stream(buffers), shouldReportPartialResults: false)
    for try await event in self.events(request, on: scripted.engine) where !event.isWithoutWords {
      events.append(event)
    }
    #expect(
      events == [
        .speechStarted(at: .seconds(1)),
        .dropped(.milliseconds(1200) ..< .milliseconds(1205), reason: .gap),
        // The speech ends at 1.505 s, which the detector rounds up to a step of 10 ms.
        .speechEnded(at: .milliseconds(1510)),
      ])
  }

  /// Returns the kinds of events for speech in which `missing` frames are lost.
  ///
  /// If `changes` is true, the format changes at the gap.
  private func kinds(missing: Int, at rate: SampleRate, changes: Bool = false) async throws
    -> [String]
  {
    let format = AudioFormat(sampleRate: rate, channelCount: 1)
    let speech = audio(utterances: 1, format: format)
    let other = audio(
      utterances: 1, format: AudioFormat(sampleRate: rate, channelCount: changes ? 2 : 1))
    let buffers = speech.indices.map { index in
      var buffer = index < 12 ? speech[index] : other[index]
      if index >= 12 { buffer.firstFrame = buffer.firstFrame + FrameCount(missing) }
      return buffer
    }
    let scripted = ScriptedSpeechEngine(utterances: [])
    var request = SpeechRequest(buffers: stream(buffers), shouldReportPartialResults: false)
    request.backPressure = .buffer(upTo: .seconds(60))
    var kinds: [String] = []
    for try await event in events(request, on: scripted.engine) {
      if case .lagging = event { continue }
      if event.isWithoutWords { continue }
      kinds.append(String("\(event)".prefix { $0 != "(" }))
    }
    return kinds
  }

  private static let bridged = ["speechStarted", "dropped", "speechEnded"]
  private static let cut = [
    "speechStarted", "speechEnded", "dropped", "speechStarted", "speechEnded",
  ]

  @Test(arguments: [
    (16_000, 798, bridged), (16_000, 800, bridged), (16_000, 802, cut),
    (44_100, 2200, bridged), (44_100, 2205, bridged), (44_100, 2210, cut),
    (48_000, 2395, bridged), (48_000, 2400, bridged), (48_000, 2405, cut),
    (22_050, 1102, bridged), (22_050, 1103, cut), (11_025, 551, bridged), (11_025, 552, cut),
  ])
  func `a gap of up to fifty milliseconds stays within an utterance at any sample rate`(
    hertz: Int, missing: Int, expected: [String]
  ) async throws {
    let kinds = try await kinds(missing: missing, at: SampleRate(hertz: hertz))
    #expect(kinds == expected)
  }

  @Test(arguments: [480, 2400, 2405])
  func `a gap at a change of format is reported after the end of the utterance that it interrupts`(
    missing: Int
  ) async throws {
    let kinds = try await kinds(missing: missing, at: 48_000, changes: true)
    #expect(kinds == Self.cut)
  }

  @Test func `while an engine is stuck in a call, the lag grows by the audio that arrives`()
    async throws
  {
    let blocking = BlockingEngine(in: .processing)
    let source = Source(audio(utterances: 3), holding: 14)
    var request = SpeechRequest(buffers: source.buffers)
    request.backPressure = .buffer(upTo: .seconds(60))
    var stream = events(request, on: blocking.engine).makeAsyncIterator()
    await blocking.reached.wait()
    source.more.open()
    var lag = Duration.zero
    while lag < .seconds(3), let event = try await stream.next() {
      if case .lagging(let told) = event { lag = told }
    }
    #expect(lag >= .seconds(3))
    blocking.release()
    source.end.open()
    while let event = try await stream.next() {
      if case .lagging(let told) = event { lag = told }
    }
    #expect(lag == .zero)
  }

  @Test func `progress is reported during a long silence`() async throws {
    let scripted = ScriptedSpeechEngine(utterances: [])
    let silence = AudioBuffer(silence: FrameCount(.seconds(12), at: .speech), format: .speech)
    var places: [Duration] = []
    for try await event in events(SpeechRequest(buffers: stream([silence])), on: scripted.engine) {
      if case .progressed(let place) = event { places.append(place) }
    }
    #expect(places.last == .seconds(10), "\(places)")
  }

  @Test(arguments: [Float.nan, .infinity, -.infinity])
  func `a NaN or infinite sample is reported, and recognition continues`(value: Float) async throws
  {
    let scripted = ScriptedSpeechEngine(utterances: [])
    var buffers = audio(utterances: 2)
    var samples = buffers[3].samples
    (samples[16], samples[32]) = (value, value)
    buffers[3] = AudioBuffer(
      format: .speech, samples: samples, firstFrame: buffers[3].firstFrame)
    let request = SpeechRequest(buffers: stream(buffers), shouldReportPartialResults: false)
    var told: [SpeechRecognitionEvent] = []
    for try await event in events(request, on: scripted.engine) { told.append(event) }
    let stretch = Duration.milliseconds(301) ..< .microseconds(302_062.5)
    #expect(told.first == .dropped(stretch, reason: .nonFinite(sampleCount: 2)), "\(told)")
    let starts = told.compactMap { if case .speechStarted(let time) = $0 { time } else { nil } }
    #expect(starts == [.seconds(1), .milliseconds(2500)])
  }

  @Test func `the start and end of speech are reported at the times of the sound`() async throws {
    let scripted = ScriptedSpeechEngine(utterances: [ScriptedUtterance("go")])
    var events: [SpeechRecognitionEvent] = []
    let request = SpeechRequest(
      buffers: stream(audio(utterances: 2)), shouldReportPartialResults: false)
    for try await event in self.events(request, on: scripted.engine) { events.append(event) }
    guard case .result(let result) = events.dropFirst().first else {
      Issue.record("the result is missing: \(events)")
      return
    }
    // The second utterance has no words.
    let dropped = Duration.milliseconds(2500) ..< .milliseconds(3010)
    #expect(
      events == [
        .speechStarted(at: .seconds(1)), .result(result), .speechEnded(at: .milliseconds(1510)),
        .speechStarted(at: .milliseconds(2500)), .dropped(dropped, reason: .unintelligible),
        .speechEnded(at: .milliseconds(3010)),
      ])
  }
}

extension SpeechRecognitionEvent {
  /// Whether the event ends an utterance in which the engine of the test recognizes no words.
  fileprivate var isWithoutWords: Bool {
    if case .dropped(_, reason: .unintelligible) = self { true } else { false }
  }
}
