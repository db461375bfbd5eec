import AudioCore
import AudioThreads
import SpeechClient
import SpeechEngine

/// Everything between the audio and the results of one task, on a thread of its own, because the
/// engine blocks.
///
/// It cuts the audio into utterances, and has them decoded by a session of its own, one after the
/// other, or by a pool, several at a time.
actor Recognizer {
  /// How much audio the engine gets at a time; a cancelled task stops after so much.
  private static let step = Duration.milliseconds(100)

  /// After how much silence it reports how far it has come.
  private static let progressStep = FrameCount(.seconds(5), at: .speech)

  /// The thread that all of it happens on; it ends with the actor.
  nonisolated let executor: ThreadExecutor

  private let engine: SpeechEngine
  private let options: SpeechSessionOptions
  private let anticipatesEnd: Bool
  private let interruption: Interruption
  /// How much audio lies at least between two partial results, so that small buffers do not cost
  /// more than large ones.
  private let partialStep: FrameCount
  private let events: EventPipe
  /// Decodes the utterances instead of the session; nil for one at a time.
  private let pool: PooledDecoding?
  /// What the sessions of the pool know of the stream.
  private var listener: (any SpeechStreamListener)?
  private var session: (any SpeechEngineSession)?
  private var failures: FailureCount
  private var isOver = true
  private var conversion = SpeechConversion()
  private var finder: UtteranceFinder
  private var results = UtteranceResults()
  private var utterance = Utterance()
  private var utteranceCount = 0
  /// What is reported in the order of the audio, from the first utterance on whose words are missing.
  private var outbox: [Report] = []
  /// Waits until fewer utterances do.
  private var waiter: CheckedContinuation<Void, Never>?
  /// What ended the stream while it was being waited for.
  private var failure: (any Error)?
  /// Whether it lags behind a live source.
  private var isLate = false
  /// Whether a source that waits for it has given more already.
  private var isAhead = false
  /// Up to where it has said that all is understood.
  private var reported: FrameCount = 0

  /// How far the utterance that is going on has come.
  private struct Utterance {
    var start: FrameCount = 0
    /// Where the first sound is.
    var sound: FrameCount = 0
    var voicing = VoicingMeter()
    /// What the engine failed with in it.
    var failure: SpeechClientError?
    var length: FrameCount = 0
    var lengthAtPartial: FrameCount = 0
    /// Its audio, where the pool decodes it.
    var pieces: [[Float]] = []

    var end: FrameCount { start + length }
  }

  private enum Report {
    case event(SpeechRecognitionEvent)
    /// An utterance whose last sound ends there, and its words, once they are known.
    case utterance(Utterance, index: Int, end: FrameCount, Result<SpeechHypothesis, any Error>?)
  }

  /// - Parameters:
  ///   - pool: decodes several utterances at a time; without partial results and key phrases.
  ///   - isLive: whether the audio may still be on its way: the engine then decodes in pauses what
  ///     may be all of an utterance.
  init(
    engine: SpeechEngine, options: SpeechSessionOptions, policy: EndpointPolicy,
    detector: SpeechActivityDetector, pool: PooledDecoding? = nil, isLive: Bool,
    events: EventPipe, interruption: Interruption
  ) throws {
    finder = UtteranceFinder(
      policy: policy.fitted(to: engine), overlap: options.longestKeyPhrase, detector: detector)
    anticipatesEnd = isLive && engine.anticipatesEnd
    partialStep = FrameCount(engine.partialInterval, at: .speech)
    executor = try ThreadExecutor(name: "syrinx-speech")
    failures = FailureCount(limit: engine.survivesFailedUtterance ? FailureCount.remoteLimit : 0)
    (self.engine, self.pool) = (engine, pool)
    self.options = options
    self.events = events
    self.interruption = interruption
  }

  /// The engine and the resampler are released on the thread that used them.
  isolated deinit {
    (session, listener) = (nil, nil)
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// Loads the engine's model.
  func prepare() async throws {
    guard !events.look(\.isClosed) else { return }
    if let pool {
      listener = try engine.makeListener?(options)
      try await pool.prepare()
    } else {
      session = try engine.makeSession(options)
    }
    isOver = false
  }

  /// Recognizes what comes next; the results go into the pipe as they are made.
  ///
  /// - Parameter hasMore: whether more is there already, so that the end of an utterance need not be
  ///   expected.
  func add(
    _ item: IntakeQueue.Item, _ pulse: Pulse, hasMore: @Sendable () -> Bool = { false }
  ) async throws {
    try report(item)
    isLate = item.isLate
    for slice in item.buffer.slices(of: Self.step) {
      guard isWanted else { return }
      isAhead = anticipatesEnd && hasMore()
      try follow(try conversion.add(slice))
      postProgress()
      pulse.beat()
      try await wait(until: pool?.limit ?? 0)
    }
  }

  /// Recognizes what is left; after it nothing more is recognized.
  func finish() async throws {
    try endStretch()
    try await wait(until: 0)
    (session, listener, isOver) = (nil, nil, true)
    if let failure = failures.last { throw failure }
  }

  /// Reports what is missing before an item, after what was said before that, and what its source
  /// has silenced in it; a short gap becomes silence.
  private func report(_ item: IntakeQueue.Item) throws {
    if let dropped = item.dropped {
      try endStretch()
      post(.dropped(dropped, reason: .engineTooSlow))
    }
    if let gap = item.gap {
      if !conversion.continues(with: item.buffer) { try endStretch() }
      post(.dropped(gap, reason: .gap))
    }
    // The source reports only a count, so the whole buffer is the stretch.
    let buffer = item.buffer
    guard buffer.silencedSampleCount > 0 else { return }
    let rate = buffer.format.sampleRate
    let stretch = buffer.firstFrame.duration(at: rate)..<buffer.endFrame.duration(at: rate)
    post(.dropped(stretch, reason: .nonFinite(sampleCount: buffer.silencedSampleCount)))
  }

  private var isWanted: Bool { !isOver && !events.look(\.isClosed) }

  private func endStretch() throws {
    guard isWanted else { return }
    try follow(try conversion.finish())
    try follow(finder.finish())
  }

  private func follow(_ pieces: [SpeechConversion.Piece]) throws {
    for piece in pieces {
      switch piece {
      case .audio(let buffer): try follow(try finder.add(buffer.samples))
      case .gap(let frame):
        try follow(finder.finish())
        finder.skip(to: frame)
      case .nonFinite(let count, let stretch):
        post(.dropped(stretch, reason: .nonFinite(sampleCount: count)))
      }
    }
  }

  private func follow(_ actions: [UtteranceFinder.Action]) throws {
    for action in actions { try follow(action) }
  }

  /// Has the session do what it may fail in; where the stream survives that, the utterance has no
  /// session any more.
  private func attempt(_ body: (any SpeechEngineSession) throws -> Void) throws {
    guard let session else { return }
    try survive { try interruption.reaching(session) { try body(session) } }
  }

  private func survive(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch {
      session = nil
      utterance.failure = try survived(error)
    }
  }

  /// The failure of one utterance; throws what ends the stream.
  private func survived(_ error: any Error) throws -> SpeechClientError {
    guard failures.survives(error) else {
      isOver = true
      throw error
    }
    return SpeechClientError(of: error)
  }

  private func follow(_ action: UtteranceFinder.Action) throws {
    switch action {
    case .begin(let frame, let sound):
      utterance = Utterance(start: frame, sound: sound)
      post(.speechStarted(at: sound.duration(at: .speech)))
      guard pool == nil else { return }
      results.begin(at: frame)
      try survive { session = try session ?? engine.makeSession(options) }
      try attempt { try $0.beginUtterance() }
    case .audio(let samples):
      utterance.length = utterance.length + FrameCount(samples.count)
      utterance.voicing.add(samples)
      if pool != nil { utterance.pieces.append(samples) }
      try attempt { try $0.process(samples) }
      try postPartial()
    case .pause(let silence): try anticipateEnd(after: silence)
    case .end(let silence): try end(after: silence)
    }
  }

  private func end(after silence: FrameCount) throws {
    let end = max(utterance.sound, utterance.end - silence)
    reported = end
    if let pool { return decode(until: end, after: silence, in: pool) }
    try attempt { session in
      let padding = padding(after: silence, wanted: session.tailPadding)
      if !padding.isEmpty { try session.process(padding) }
      postFinal(try session.finishUtterance(), of: utterance, until: end)
    }
    postEnd(of: utterance, at: end)
  }

  /// Has the pool decode the utterance; its results are reported when all before it are.
  private func decode(until end: FrameCount, after silence: FrameCount, in pool: PooledDecoding) {
    guard let listener else { return }
    let padding = padding(after: silence, wanted: listener.tailPadding)
    if !padding.isEmpty { utterance.pieces.append(padding) }
    let (index, pieces, knowledge) = (utteranceCount, utterance.pieces, listener.knowledge)
    listener.add(pieces)
    utteranceCount += 1
    utterance.pieces = []
    outbox.append(.utterance(utterance, index: index, end: end, nil))
    pool.decode(pieces, knowing: knowledge, index: index) { [weak self] words in
      Task { await self?.note(words, of: index) }
    }
  }

  private func note(_ words: Result<SpeechHypothesis, any Error>, of number: Int) {
    for place in outbox.indices {
      if case .utterance(let utterance, let index, let end, _) = outbox[place], index == number {
        outbox[place] = .utterance(utterance, index: index, end: end, words)
      }
    }
    do {
      try postWhatIsKnown()
    } catch {
      (failure, outbox) = (failure ?? error, [])
    }
    waiter.take()?.resume()
  }

  /// Reports everything up to the first utterance whose words are missing.
  private func postWhatIsKnown() throws {
    while let first = outbox.first {
      switch first {
      case .event(let event): events.post(event)
      case .utterance(var utterance, _, let end, let words):
        guard let words else { return }
        results.begin(at: utterance.start)
        do {
          postFinal(try words.get(), of: utterance, until: end)
        } catch {
          utterance.failure = try survived(error)
        }
        postEnd(of: utterance, at: end)
      }
      outbox.removeFirst()
    }
  }

  /// Returns when at most so many utterances wait for their words.
  private func wait(until count: Int) async throws {
    while outbox.count(where: { if case .utterance = $0 { true } else { false } }) > count {
      await withCheckedContinuation { waiter = $0 }
    }
    if let failure { throw failure }
  }

  /// Reports an event, behind the utterances before it.
  private func post(_ event: SpeechRecognitionEvent) {
    if outbox.isEmpty { events.post(event) } else { outbox.append(.event(event)) }
  }

  private func postFinal(
    _ hypothesis: SpeechHypothesis, of utterance: Utterance, until end: FrameCount
  ) {
    let final = results.final(
      hypothesis, heard: utterance.length, plausibility: plausibility(of: utterance, until: end))
    if let final { events.post(.result(final)) }
    failures.reset()
  }

  private func postEnd(of utterance: Utterance, at end: FrameCount) {
    if let failure = utterance.failure {
      results.lose()
      let times = utterance.sound.duration(at: .speech)..<end.duration(at: .speech)
      events.post(.dropped(times, reason: .engineFailed(failure)))
    }
    events.post(.speechEnded(at: end.duration(at: .speech)))
  }

  /// Lets the engine decode what may be the whole utterance; where more silence has to follow, that
  /// would be in vain.
  private func anticipateEnd(after silence: FrameCount) throws {
    guard anticipatesEnd, !isLate, !isAhead else { return }
    try attempt { session in
      guard padding(after: silence, wanted: session.tailPadding).isEmpty else { return }
      try session.anticipateEnd()
      if options.wantsPartialHypotheses { try postPartial(of: session) }
    }
  }

  /// As much silence as the engine needs for the last word or a short one, or the policy says.
  private func padding(after silence: FrameCount, wanted: Duration) -> [Float] {
    finder.padding(
      after: silence, wanted: wanted, heard: utterance.length,
      shortest: engine.utteranceLength.lowerBound)
  }

  /// What the words up to `end` are measured by; nil for key phrases: one may be short in long
  /// speech, and has a threshold of its own.
  private func plausibility(of utterance: Utterance, until end: FrameCount) -> Plausibility? {
    guard options.keyPhrases.isEmpty else { return nil }
    return Plausibility(isVoiced: utterance.voicing.isVoiced, sound: end - utterance.sound)
  }

  private func postProgress() {
    guard !finder.isInUtterance, finder.judgedEnd - reported >= Self.progressStep else { return }
    reported = finder.judgedEnd
    post(.progressed(to: reported.duration(at: .speech)))
  }

  private func postPartial() throws {
    guard options.wantsPartialHypotheses, !isLate,
      utterance.length - utterance.lengthAtPartial >= partialStep,
      // A decode that starts now would delay the one for which `anticipateEnd` is called.
      !(anticipatesEnd && finder.isInPause)
    else { return }
    try attempt { try postPartial(of: $0) }
  }

  private func postPartial(of session: any SpeechEngineSession) throws {
    utterance.lengthAtPartial = utterance.length
    let partial = results.partial(
      try session.hypothesis, heard: utterance.length,
      plausibility: plausibility(of: utterance, until: max(utterance.sound, utterance.end)))
    if let partial { events.post(.result(partial)) }
  }
}

extension SpeechSessionOptions {
  /// How long one takes to say the longest of the key phrases: a second for each word.
  fileprivate var longestKeyPhrase: Duration {
    .seconds(keyPhrases.map { $0.text.split(separator: " ").count }.max() ?? 0)
  }
}

extension AudioBuffer {
  /// The buffer in pieces of at most `length`.
  func slices(of length: Duration) -> [AudioBuffer] {
    let step = max(1, FrameCount(length, at: format.sampleRate).rawValue)
    return stride(from: 0, to: frameCount.rawValue, by: step).map { begin in
      frames(FrameCount(begin)..<min(FrameCount(begin + step), frameCount))
    }
  }
}
