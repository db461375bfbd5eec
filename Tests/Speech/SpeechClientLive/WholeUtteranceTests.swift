import AudioCore
import Dispatch
import Foundation
import SoundFile
import SpeechClient
import SpeechEngine
import Synchronization
import SyrinxTestSupport
import Testing

@testable import SpeechClientLive

/// Engines that decode the whole utterance so far, every half second and in pauses.
@Suite(.timeLimit(.minutes(5))) struct WholeUtteranceTests {
  private typealias Event = ScriptedSpeechEngine.Event

  private let tasks = SpeechTasks()
  private let scripted = Self.engine()

  private static func engine(tailPadding: Duration = .zero) -> ScriptedSpeechEngine {
    ScriptedSpeechEngine(
      utterances: (0..<9).map { _ in ScriptedUtterance("go forward ten meters and back") },
      tailPadding: tailPadding, decodeInterval: .milliseconds(500))
  }

  /// Returns a voice in these stretches, in seconds, above a quiet background.
  private func voice(in stretches: [ClosedRange<Double>], seconds: Double) -> [AudioBuffer] {
    let signal = AudioSignal { frame, rate in
      let time = Double(frame) / Double(rate.hertz)
      let isLoud = stretches.contains { $0.contains(time) }
      let noise = AudioSignal.noise(seed: 1, amplitude: 0.001)
      // A sound that stays equally loud would count as background.
      let syllables = 0.12 + 0.08 * sin(2 * .pi * 4 * time)
      let tone = AudioSignal.sine(150, amplitude: isLoud ? Float(syllables) : 0)
      return noise.sample(at: FrameCount(frame), rate: rate)
        + tone.sample(at: FrameCount(frame), rate: rate)
    }
    return (0..<Int(seconds * 10)).map {
      signal.buffer(1600, format: .speech, firstFrame: FrameCount($0 * 1600))
    }
  }

  /// Joins the buffers into one buffer, so that the recognizer has no backlog.
  private func joined(_ buffers: [AudioBuffer]) -> AudioBuffer {
    AudioBuffer(format: .speech, samples: buffers.flatMap(\.samples), firstFrame: 0)
  }

  private func results(
    _ buffers: [AudioBuffer], partials: Bool = true, jobCount: Int = 1, isLive: Bool = false,
    on engine: SpeechEngine, policy: EndpointPolicy = EndpointPolicy()
  ) async throws -> [SpeechRecognitionResult] {
    let buffers = isLive ? [joined(buffers)] : buffers
    var request = SpeechRequest(buffers: stream(buffers), shouldReportPartialResults: partials)
    (request.jobCount, request.endpointPolicy) = (jobCount, policy)
    if isLive { request.backPressure = .buffer(upTo: .seconds(60)) }
    return try await tasks.start(request, on: engine).all()
  }

  /// Returns every result of a live source.
  ///
  /// Each result is read before the next buffer arrives, because only the newest unread partial
  /// result is kept.
  private func everyResult(_ buffers: [AudioBuffer]) async throws -> [SpeechRecognitionResult] {
    let events = EventPipe(policy: .events())
    let recognizer = try Recognizer(
      engine: scripted.engine, options: SpeechSessionOptions(), policy: EndpointPolicy(),
      detector: .energy, isLive: true, events: events)
    try await recognizer.prepare()
    var results: [SpeechRecognitionResult] = []
    for buffer in buffers {
      try await recognizer.add(IntakeQueue.Item(buffer: buffer))
      // Marks the end of this buffer's events.
      events.send(.lagging(by: .zero))
      while let event = try await events.next(), event != .lagging(by: .zero) {
        if case .result(let result) = event { results.append(result) }
      }
    }
    return results
  }

  /// Returns the number of decoded frames at each decode, up to the first early decode in a pause.
  private func decodes(_ events: [Event]) -> [Int] {
    let before = events.prefix { if case .anticipated = $0 { false } else { true } }
    return before.compactMap { if case .decoded(let frames) = $0 { frames.rawValue } else { nil } }
  }

  /// Returns the events for the possible and the actual ends of utterances.
  private func ends(_ events: [Event]) -> [Event] {
    events.filter {
      switch $0 {
      case .anticipated, .finished: true
      default: false
      }
    }
  }

  @Test
  func `partial results arrive at the engine's interval, and a word needs two to become stable`()
    async throws
  {
    let partials = try await everyResult(voice(in: [1...4], seconds: 5)).filter { !$0.isFinal }
    let decodes = decodes(scripted.events)
    #expect(decodes.count >= 5)
    #expect(zip(decodes, decodes.dropFirst()).allSatisfy { $1 - $0 >= 8000 }, "\(decodes)")
    var seen: Set<String> = []
    for partial in partials {
      let stable = partial.stablePrefix.segments.map(\.substring)
      #expect(seen.isSuperset(of: stable), "\(stable) in one decode")
      seen.formUnion(partial.bestTranscription.segments.map(\.substring))
    }
    #expect(partials.last?.stableSegmentCount == 5)
    #expect(partials.allSatisfy { $0.bestTranscription.hasEstimatedTimes })
  }

  @Test func `on average, words become stable within a second after they are spoken`() {
    // Words last a third of a second; the last word of a decode is wrong until the word has ended.
    let length = 5333
    // The words contain letters, because a word with digits is never stable.
    let letters = Array("abcdefghijklmnopqrstuvwxyz")
    let ends = (1...24).map { $0 * length }
    var delays: [Int] = []
    for phase in stride(from: 0, to: 8000, by: 1600) {
      var results = UtteranceResults()
      results.begin(at: 0)
      var stable = 0
      for (revision, processed) in stride(from: 8000 + phase, to: 24 * length, by: 8000)
        .enumerated()
      {
        let words = (0...processed / length).map { index in
          let isOver = ends[index] <= processed
          return SpeechHypothesis.Word(
            isOver ? "word\(letters[index])" : "part\(letters[revision])",
            frames: FrameCount(index * length)..<FrameCount(min(processed, ends[index])))
        }
        var hypothesis = SpeechHypothesis(words: words)
        (hypothesis.revision, hypothesis.hasEstimatedTimes) = (revision, true)
        let partial = results.partial(
          hypothesis, processed: FrameCount(processed), plausibility: nil)
        let count = partial?.stableSegmentCount ?? stable
        delays += (stable..<count).map { processed - ends[$0] }
        stable = count
      }
      #expect(stable >= 20)
    }
    let mean = Double(delays.reduce(0, +)) / Double(delays.count) / 16_000
    #expect(mean <= 1, "\(mean)")
  }

  @Test(arguments: [nil, 0, 100, 400] as [Int?])
  func `the decode in a pause becomes the result of the utterance`(tail: Int?) async throws {
    let policy = EndpointPolicy(tailPadding: tail.map { .milliseconds($0) })
    let buffers = voice(in: [1...2, 3.5...4.5], seconds: 6)
    _ = try await results(
      buffers, partials: false, isLive: true, on: scripted.engine, policy: policy)
    // No audio arrives between the early decode and the end; otherwise, the engine would have to
    // decode again.
    let length = 20_800 + (tail ?? 200) * 16
    let events = scripted.events.dropFirst(2).prefix(3)
    guard case .anticipated(let processed) = events.first else {
      Issue.record("no hint: \(scripted.events)")
      return
    }
    #expect(abs(processed.rawValue - length) <= 480)
    #expect(
      Array(events) == [
        .anticipated(after: processed), .decoded(after: processed), .finished(after: processed),
      ])
    #expect(ends(scripted.events).count == 4)
  }

  @Test func `in a pause, one decode runs, and its words are reported at once as a partial result`()
    async throws
  {
    // A partial result would be due 1.5 s after the start of the utterance, but speech ends after
    // 1.4 s.
    let results = try await everyResult(voice(in: [1...2.1], seconds: 4))
    #expect(decodes(scripted.events).allSatisfy { $0 <= 17_600 }, "\(scripted.events)")
    let hint = try #require(
      scripted.events.firstIndex { if case .anticipated = $0 { true } else { false } })
    #expect(scripted.events[hint...].count { if case .decoded = $0 { true } else { false } } == 1)
    let last = results.suffix(2)
    #expect(last.map(\.isFinal) == [false, true])
    #expect(Set(last.map(\.bestTranscription.formattedString)).count == 1)
  }

  @Test func `a pause does not start an early decode if the source can wait`() async throws {
    let buffers = voice(in: [1...2, 3.5...4.5], seconds: 6)
    _ = try await results(buffers, partials: false, on: scripted.engine)
    let hasHint = scripted.events.contains { if case .anticipated = $0 { true } else { false } }
    #expect(!hasHint && ends(scripted.events).count == 2)
  }

  @Test(arguments: [true, false])
  func `a stream that can wait is decoded early in pauses only if it is live`(isLive: Bool)
    async throws
  {
    var request = SpeechRequest(
      buffers: stream([joined(voice(in: [1...2], seconds: 4))]), shouldReportPartialResults: false)
    request.isLive = isLive
    _ = try await tasks.start(request, on: scripted.engine).all()
    let hasHint = scripted.events.contains { if case .anticipated = $0 { true } else { false } }
    #expect(hasHint == isLive)
  }

  @Test func `a pause does not start an early decode while more audio is queued`() async throws {
    let events = EventPipe(policy: .events(limit: 1_000))
    let recognizer = try Recognizer(
      engine: scripted.engine, options: SpeechSessionOptions(), policy: EndpointPolicy(),
      detector: .energy, isLive: true, events: events)
    try await recognizer.prepare()
    let item = IntakeQueue.Item(buffer: joined(voice(in: [1...2], seconds: 4)))
    try await recognizer.add(item) { true }
    try await recognizer.finish()
    #expect(ends(scripted.events).count == 1, "\(scripted.events)")
  }

  @Test func `if an engine selects a second engine, the second engine's settings apply`()
    async throws
  {
    var engine = SpeechEngine()
    let chosen = scripted.engine
    engine.choose = { $0.language == "en" ? chosen : nil }
    var request = SpeechRequest(buffers: stream([joined(voice(in: [1...2], seconds: 4))]))
    (request.locale, request.backPressure) = ("en", .buffer(upTo: .seconds(60)))
    #expect(try await tasks.start(request, on: engine).all().contains(where: \.isFinal))
    #expect(scripted.events.contains { if case .anticipated = $0 { true } else { false } })
  }

  @Test func `if speech continues, the engine gets the rest of the pause and decodes again`()
    async throws
  {
    let buffers = voice(in: [1...2, 2.4...3], seconds: 5)
    _ = try await results(buffers, partials: false, isLive: true, on: scripted.engine)
    let frames = ends(scripted.events).compactMap { event -> Int? in
      switch event {
      case .anticipated(let processed), .finished(let processed): processed.rawValue
      default: nil
      }
    }
    try #require(frames.count == 3, "\(scripted.events)")
    #expect(abs(frames[1] - frames[0] - 16_000) <= 480, "\(frames)")
    #expect(frames[2] == frames[1])
    #expect(scripted.events.contains(.decoded(after: FrameCount(frames[1]))))
  }

  @Test func `audio that ends in a pause is not decoded again`() async throws {
    // The audio ends with 77 samples, too few for another step of the detector.
    var buffers = voice(in: [1...2], seconds: 2.4)
    buffers.append(
      AudioBuffer(format: .speech, samples: Array(repeating: 0, count: 77), firstFrame: 38_400))
    _ = try await results(buffers, partials: false, isLive: true, on: scripted.engine)
    let decoded = scripted.events.count { if case .decoded = $0 { true } else { false } }
    #expect(decoded == 1, "\(scripted.events)")
  }

  @Test
  func `anticipateEnd is not called if the engine needs more silence or the utterance ends first`()
    async throws
  {
    let buffers = voice(in: [1...2], seconds: 3.5)
    let wanting = Self.engine(tailPadding: .milliseconds(300))
    _ = try await results(buffers, partials: false, isLive: true, on: wanting.engine)
    #expect(ends(wanting.events).count == 1)
    _ = try await results(
      buffers, partials: false, isLive: true, on: scripted.engine,
      policy: EndpointPolicy(silence: .milliseconds(150)))
    #expect(ends(scripted.events).count == 1)
  }

  @Test
  func `anticipateEnd is not called for files, or for an engine that does not decode in pauses`()
    async throws
  {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).wav")
    defer { try? FileManager.default.removeItem(at: url) }
    let writer = try SoundFileWriter(url: url, format: .speech, encoding: .wavFloat)
    let buffers = voice(in: [1...2], seconds: 3.5)
    for buffer in buffers { try writer.write(buffer) }
    try writer.close()
    _ = try await tasks.start(SpeechRequest(url: url), on: scripted.engine).all()
    #expect(ends(scripted.events).count == 1)
    let plain = ScriptedSpeechEngine(utterances: [ScriptedUtterance("go")])
    _ = try await results(buffers, isLive: true, on: plain.engine)
    #expect(ends(plain.events).count == 1)
  }

  @Test func `while an engine lags behind a live source, no partial results are requested`()
    async throws
  {
    let buffers = voice(in: [1...4], seconds: 6)
    let drained = DispatchSemaphore(value: 0)
    let rest = Mutex(buffers[...])
    let source = AsyncStream<AudioBuffer> {
      let next = rest.withLock { $0.popFirst() }
      if next == nil { drained.signal() }
      return next
    }
    var engine = scripted.engine
    engine.makeSession = { [makeSession = engine.makeSession] options in
      drained.wait()
      return try makeSession(options)
    }
    var request = SpeechRequest(buffers: source)
    request.backPressure = .buffer(upTo: .seconds(60))
    let results = try await tasks.start(request, on: engine).all()
    #expect(results.map(\.isFinal) == [true])
    #expect(scripted.events.count { if case .decoded = $0 { true } else { false } } == 1)
    #expect(ends(scripted.events).count == 1)
  }

  @Test(arguments: [1, 2])
  func `utterances have the lengths that the engine requests, with any number of sessions`(
    jobCount: Int
  ) async throws {
    let lengths = Mutex<[Int]>([])
    var traits = SpeechSessionTraits()
    traits.utteranceLength = .seconds(2) ... .seconds(3)
    _ = try await results(
      voice(in: [1...1.5, 3...8], seconds: 9), partials: false, jobCount: jobCount,
      on: counting(traits) { length in lengths.withLock { $0.append(length) } })
    let sorted = lengths.withLock { $0.sorted() }
    #expect(sorted.count == 3, "\(sorted)")
    #expect(sorted.first == 32_000)
    #expect(sorted.allSatisfy { $0 <= 48_000 })
  }

  @Test(arguments: [1, 2, 3])
  func `any number of sessions share the utterances of a stream, even if a session fails`(
    jobCount: Int
  ) async throws {
    let count = Mutex(0)
    var traits = SpeechSessionTraits()
    traits.survivesFailure = true
    let engine = counting(traits) { _ throws(SpeechEngineError) in
      let number = count.withLock { count in
        count += 1
        return count
      }
      if number == 3 { throw .failed(reason: "crash") }
    }
    let finals = try await results(
      audio(utterances: 8), partials: false, jobCount: jobCount, on: engine)
    // No utterance is recognized twice, not even after the failure.
    #expect(count.withLock { $0 } == 8)
    #expect(finals.count == 7)
  }

  /// Returns an engine that recognizes one word in any audio, and records the lengths of its
  /// utterances.
  private func counting(
    _ traits: SpeechSessionTraits,
    _ finishing: @escaping @Sendable (_ length: Int) throws(SpeechEngineError) -> Void
  ) -> SpeechEngine {
    SpeechEngine(
      name: "counting",
      availability: { .ready(SpeechModel(language: "en-US", location: "test")) },
      makeSession: { _ in CountingSession(traits, finishing) })
  }

  private final class CountingSession: SpeechEngineSession {
    let traits: SpeechSessionTraits
    private let finishing: (Int) throws(SpeechEngineError) -> Void
    private var length = 0

    init(
      _ traits: SpeechSessionTraits,
      _ finishing: @escaping (Int) throws(SpeechEngineError) -> Void
    ) {
      (self.traits, self.finishing) = (traits, finishing)
    }

    var hypothesis: SpeechHypothesis { SpeechHypothesis() }
    func beginUtterance() { length = 0 }
    func process(_ samples: [Float]) { length += samples.count }

    func finishUtterance() throws(SpeechEngineError) -> SpeechHypothesis {
      try finishing(length)
      return SpeechHypothesis(words: [SpeechHypothesis.Word("go", frames: 0..<3200)])
    }
  }
}
