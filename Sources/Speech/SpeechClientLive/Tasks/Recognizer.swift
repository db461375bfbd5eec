import AudioCore
import AudioThreads
import SpeechClient
import SpeechEngine

/// Turns the audio of one task into results, on its own thread because the engine blocks.
///
/// It cuts the audio into utterances and decodes them with its own session, one after the other, or
/// several of them in parallel.
actor Recognizer {
  /// How much audio the engine gets at a time; a canceled task stops after at most this much.
  private static let step = Duration.milliseconds(100)

  /// After this much silence it reports its progress.
  private static let progressStep = FrameCount(.seconds(5), at: .speech)

  /// The actor's thread; it ends with the actor.
  nonisolated let executor: ThreadExecutor

  private let engine: SpeechEngine
  private let options: SpeechSessionOptions
  private let anticipatesEnd: Bool
  private let interruption: Interruption
  /// The least audio between two partial results, so that small buffers cost no more than large ones.
  private let partialStep: FrameCount
  private let events: EventPipe
  /// Decodes the utterances instead of the session; nil for one at a time.
  private let parallel: ParallelDecoding?
  /// The adaptation to the stream that the parallel sessions share.
  private var adaptation: (any SpeechAdaptation)?
  private var session: (any SpeechEngineSession)?
  private var failures: FailureCount
  private var isOver = true
  private var conversion = SpeechConversion()
  private var finder: UtteranceFinder
  /// Joins what the finder finds; nil if each utterance is decoded when it ends.
  private var joiner: UtteranceJoiner?
  /// How long a pause between the words of joined utterances ends a result.
  private var pause: Duration?
  private var results: UtteranceResults
  private var utterance = Utterance()
  /// Reports that wait for the words of an utterance; empty if utterances are not decoded in parallel.
  private var outbox = ReportQueue()
  /// Resumes when fewer utterances wait.
  private var waiter: CheckedContinuation<Void, Never>?
  /// The failure that ended the stream while it was waiting.
  private var failure: (any Error)?
  /// Whether it lags behind a live source.
  private var isLate = false
  /// Beats at each step.
  private var pulse: Pulse?
  /// Whether more audio of a waiting source is already queued.
  private var isAhead = false
  /// The end of the audio whose progress was reported.
  private var reported: FrameCount = 0

  /// - Parameters:
  ///   - parallel: decodes several utterances at a time; without partial results and key phrases.
  ///   - isLive: whether the audio may still be in progress: the engine then decodes in pauses, because
  ///     the utterance may be complete.
  ///   - joinsUtterances: whether neighboring utterances are decoded as one.
  init(
    engine: SpeechEngine, options: SpeechSessionOptions, policy: EndpointPolicy,
    detector: SpeechActivityDetector, parallel: ParallelDecoding? = nil, isLive: Bool,
    joinsUtterances: Bool = false, events: EventPipe, interruption: Interruption
  ) throws {
    var policy = policy.fitted(to: engine)
    results = UtteranceResults(
      hasStableWords: !joinsUtterances, spotsPhrases: !options.keyPhrases.isEmpty)
    if joinsUtterances {
      (joiner, pause) = (UtteranceJoiner(limit: policy.maximumLength), policy.silence)
      policy.silence = UtteranceJoiner.shortestPause
    }
    finder = UtteranceFinder(
      policy: policy, overlap: options.longestKeyPhrase, detector: detector)
    anticipatesEnd = isLive && engine.anticipatesEnd
    partialStep = FrameCount(engine.partialInterval, at: .speech)
    executor = try ThreadExecutor(name: "syrinx-speech")
    failures = FailureCount(limit: engine.survivesFailedUtterance ? FailureCount.remoteLimit : 0)
    (self.engine, self.parallel) = (engine, parallel)
    self.options = options
    self.events = events
    self.interruption = interruption
  }

  /// The engine and the resampler are released on the thread that used them.
  isolated deinit {
    (session, adaptation) = (nil, nil)
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// Loads the engine's model, or connects to its server.
  func prepare() async throws {
    guard !events.inspect(\.isClosed) else { return }
    if let parallel {
      adaptation = try engine.makeAdaptation?(options)
      try await parallel.prepare()
    } else {
      let session = try engine.makeSession(options)
      try interruption.withInterruption(of: session) { try session.prepare() }
      self.session = session
    }
    isOver = false
  }

  /// Recognizes the next audio; results go into the pipe at once.
  ///
  /// - Parameter hasMore: whether more audio is already queued, so no early decode is needed.
  func add(
    _ item: IntakeQueue.Item, _ pulse: Pulse, hasMore: @Sendable () -> Bool = { false }
  ) async throws {
    try report(item)
    (self.pulse, isLate) = (pulse, item.isLate)
    for slice in item.buffer.slices(of: Self.step) {
      guard isWanted else { return }
      isAhead = anticipatesEnd && hasMore()
      try process(try conversion.add(slice))
      if !finder.isInUtterance { try perform(joiner?.pass(to: finder.earliestStart) ?? []) }
      postProgress()
      pulse.beat()
      try await wait(until: parallel?.limit ?? 0)
    }
  }

  /// Recognizes the rest and ends the recognition.
  func finish() async throws {
    try endStretch()
    try await wait(until: 0)
    (session, adaptation, isOver) = (nil, nil, true)
    if let failure = failures.last { throw failure }
  }

  /// Reports the audio lost before an item, after the results of earlier audio, and the samples that
  /// its source silenced; a short loss becomes silence.
  private func report(_ item: IntakeQueue.Item) throws {
    if !item.losses.isEmpty, !conversion.continues(with: item.buffer) { try endStretch() }
    for loss in item.losses { post(loss) }
    // The source reports only a count, so the whole buffer is the stretch.
    let buffer = item.buffer
    guard buffer.silencedSampleCount > 0 else { return }
    let stretch = (buffer.firstFrame..<buffer.endFrame).timestamps(at: buffer.format.sampleRate)
    post(.dropped(stretch, reason: .nonFinite(sampleCount: buffer.silencedSampleCount)))
  }

  private var isWanted: Bool { !isOver && !events.inspect(\.isClosed) }

  private func endStretch() throws {
    guard isWanted else { return }
    try process(try conversion.finish())
    try endUtterances()
  }

  private func process(_ pieces: [SpeechConversion.Piece]) throws {
    for piece in pieces {
      switch piece {
      case .audio(let buffer): try join(try finder.add(buffer.samples))
      case .gap(let frame):
        try endUtterances()
        finder.skip(to: frame)
      case .nonFinite(let count, let stretch):
        post(.dropped(stretch, reason: .nonFinite(sampleCount: count)))
      }
    }
  }

  private func join(_ actions: [UtteranceFinder.Action]) throws {
    for action in actions { try perform(joiner?.add(action) ?? [action]) }
  }

  private func perform(_ actions: [UtteranceFinder.Action]) throws {
    for action in actions {
      guard isWanted else { return }
      try perform(action)
      pulse?.beat()
    }
  }

  /// The audio has ended, or has a gap.
  private func endUtterances() throws {
    try join(finder.finish())
    try perform(joiner?.finish() ?? [])
  }

  /// Runs a call of the session that may fail; if the stream survives the failure, the utterance
  /// continues without a session.
  private func attempt(_ body: (any SpeechEngineSession) throws -> Void) throws {
    guard let session else { return }
    try catchFailure { try interruption.withInterruption(of: session) { try body(session) } }
  }

  private func catchFailure(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch {
      session = nil
      utterance.failure = try utteranceFailure(error)
    }
  }

  /// The failure of one utterance; throws a failure that ends the stream.
  private func utteranceFailure(_ error: any Error) throws -> SpeechClientError {
    guard failures.canContinue(after: error) else {
      isOver = true
      throw error
    }
    return SpeechClientError(of: error)
  }

  private func perform(_ action: UtteranceFinder.Action) throws {
    switch action {
    case .begin(let frame, let sound):
      utterance = Utterance(
        start: frame, sound: sound, pause: pause)
      post(.speechStarted(at: sound.duration(at: .speech)))
      guard parallel == nil else { return }
      results.begin(at: frame)
      try catchFailure { session = try session ?? engine.makeSession(options) }
      try attempt { try $0.beginUtterance() }
    case .resume(let silence, let certainty, let frame, let sound):
      utterance.endSound(after: silence, certainty: certainty)
      utterance.resume(at: frame, sound: sound)
    case .audio(let samples):
      utterance.add(samples)
      if parallel != nil { utterance.pieces.append(samples) }
      try attempt { try $0.process(samples) }
      try postPartial()
    case .pause(let silence): try anticipateEnd(after: silence)
    case .end(let silence, let certainty):
      try end(after: silence, certainty)
    }
  }

  private func end(after silence: FrameCount, _ certainty: Double) throws {
    let end = utterance.endSound(after: silence, certainty: certainty)
    reported = end
    if let parallel { return decode(until: end, after: silence, in: parallel) }
    try attempt { session in
      let padding = padding(after: silence, wanted: session.tailPadding)
      if !padding.isEmpty { try session.process(padding) }
      postFinals(try session.finishUtterance(), of: utterance, until: end)
    }
    postEnd(of: utterance, at: end)
  }

  /// Decodes the utterance in parallel; its results are reported after those of earlier ones.
  private func decode(
    until end: FrameCount, after silence: FrameCount, in parallel: ParallelDecoding
  ) {
    guard let adaptation else { return }
    let padding = padding(after: silence, wanted: adaptation.tailPadding)
    if !padding.isEmpty { utterance.pieces.append(padding) }
    let (pieces, state) = (utterance.pieces, adaptation.state)
    adaptation.add(pieces)
    utterance.pieces = []
    let index = outbox.append(utterance, end: end)
    parallel.decode(pieces, adaptationState: state, index: index) { [weak self] words in
      Task { await self?.note(words, of: index) }
    }
  }

  private func note(_ words: ReportQueue.Words, of index: Int) {
    outbox.note(words, of: index)
    do {
      try postKnown()
    } catch {
      failure = failure ?? error
      outbox.removeAll()
    }
    waiter.take()?.resume()
  }

  /// Reports everything before the first utterance whose words are missing.
  private func postKnown() throws {
    while let report = outbox.popKnown() {
      switch report {
      case .event(let event): events.send(event)
      case .utterance(var utterance, end: let end, words: let words):
        results.begin(at: utterance.start)
        do {
          postFinals(try words.get(), of: utterance, until: end)
        } catch {
          utterance.failure = try utteranceFailure(error)
        }
        postEnd(of: utterance, at: end)
      }
    }
  }

  /// Returns when at most this many utterances wait to be reported.
  private func wait(until count: Int) async throws {
    while outbox.waitingCount > count {
      await withCheckedContinuation { waiter = $0 }
    }
    if let failure { throw failure }
  }

  /// Reports an event after the utterances before it.
  private func post(_ event: SpeechRecognitionEvent) {
    if outbox.isEmpty { events.send(event) } else { outbox.append(event) }
  }

  /// Reports the results of an utterance, all but the last one with their ends.
  private func postFinals(
    _ hypothesis: SpeechHypothesis, of utterance: Utterance, until end: FrameCount
  ) {
    failures.reset()
    for event in results.events(of: utterance, hypothesis, until: end) { events.send(event) }
  }

  private func postEnd(of utterance: Utterance, at end: FrameCount) {
    if let failure = utterance.failure {
      results.lose()
      let sound = (utterance.sound..<end).timestamps(at: .speech)
      events.send(.dropped(sound, reason: .engineFailed(failure)))
    }
    events.send(.speechEnded(at: end.duration(at: .speech)))
  }

  /// Lets the engine decode the utterance early, unless more silence has to follow.
  private func anticipateEnd(after silence: FrameCount) throws {
    guard anticipatesEnd, !isLate, !isAhead else { return }
    try attempt { session in
      guard padding(after: silence, wanted: session.tailPadding).isEmpty else { return }
      try session.anticipateEnd()
      if options.wantsPartialHypotheses { try postPartial(of: session) }
    }
  }

  /// The silence that the engine or the policy requires after the last word.
  private func padding(after silence: FrameCount, wanted: Duration) -> [Float] {
    finder.padding(
      after: silence, wanted: wanted, length: utterance.length,
      shortest: engine.utteranceLength.lowerBound)
  }

  private func postProgress() {
    guard !finder.isInUtterance, joiner?.isEmpty ?? true,
      finder.judgedEnd - reported >= Self.progressStep
    else { return }
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
    let hypothesis = try session.hypothesis
    let partial = results.partial(of: utterance, hypothesis)
    if let partial { events.send(.result(partial)) }
  }
}
