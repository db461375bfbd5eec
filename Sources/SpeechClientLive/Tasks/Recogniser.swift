import AudioCore
import AudioThreads
import SpeechClient
import SpeechEngine

/// Everything between the audio and the results of one task, on a thread of its own, because the
/// engine blocks.
actor Recogniser {
  /// How much audio the engine hears at a time; a cancelled task stops after so much.
  static let step = Duration.milliseconds(100)

  /// After how much silence it says how far it has come.
  static let progressStep = FrameCount(.seconds(5), at: .speech)

  /// The thread that all of it happens on; it ends with the actor.
  nonisolated let executor: ThreadExecutor

  private let engine: SpeechEngine
  private let options: SpeechSessionOptions
  private let anticipatesEnd: Bool
  private let interruption: Interruption
  /// How much audio lies at least between two partial results, so that small buffers do not cost
  /// more than large ones.
  private let partialStep: FrameCount
  private let mailbox: EventMailbox
  private var session: (any SpeechEngineSession)?
  private var setbacks: Setbacks
  private var isOver = true
  private var conversion = SpeechConversion()
  private var finder: UtteranceFinder
  private var results = UtteranceResults()
  private var utterance = Utterance()
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
    var heard: FrameCount = 0
    var heardAtPartial: FrameCount = 0

    var end: FrameCount { start + heard }
  }

  /// - Parameter isLive: whether the audio may be on its way still: the engine then decodes in pauses
  ///   what may be all of an utterance.
  init(
    engine: SpeechEngine, options: SpeechSessionOptions, policy: EndpointPolicy,
    detector: SpeechActivityDetector, isLive: Bool, mailbox: EventMailbox,
    interruption: Interruption
  ) throws {
    finder = UtteranceFinder(
      policy: policy.fitted(to: engine), overlap: options.longestKeyPhrase, detector: detector)
    anticipatesEnd = isLive && engine.anticipatesEnd
    partialStep = FrameCount(engine.partialInterval, at: .speech)
    executor = try ThreadExecutor(name: "syrinx-speech")
    setbacks = Setbacks(limit: engine.survivesFailedUtterance ? Setbacks.remoteLimit : 0)
    self.engine = engine
    self.options = options
    self.mailbox = mailbox
    self.interruption = interruption
  }

  /// The engine and the resampler are let go of on the thread that used them.
  isolated deinit {
    session = nil
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// Loads the engine's model.
  func prepare() throws {
    guard !mailbox.isClosed else { return }
    session = try engine.makeSession(options)
    isOver = false
  }

  /// Recognises what comes next; the results go into the mailbox as they are made.
  ///
  /// - Parameter hasMore: whether more is there already, so that the end of an utterance need not be
  ///   expected.
  func hear(
    _ item: IntakeQueue.Item, _ pulse: Pulse, hasMore: @Sendable () -> Bool = { false }
  ) throws {
    try tell(of: item)
    isLate = item.isLate
    for slice in item.buffer.slices(of: Self.step) {
      guard isWanted else { return }
      isAhead = anticipatesEnd && hasMore()
      try follow(try conversion.add(slice))
      postProgress()
      pulse.beat()
    }
  }

  /// Recognises what is left; after it nothing more is heard.
  func finish() throws {
    try endStretch()
    (session, isOver) = (nil, true)
    if let failure = setbacks.last { throw failure }
  }

  /// Tells of what is not heard before an item, after what was said before that, and of what its
  /// source has silenced in it; a short gap is heard as silence.
  private func tell(of item: IntakeQueue.Item) throws {
    if let dropped = item.dropped {
      try endStretch()
      mailbox.post(.dropped(dropped, reason: .engineTooSlow))
    }
    if let gap = item.gap {
      if !conversion.continues(with: item.buffer) { try endStretch() }
      mailbox.post(.dropped(gap, reason: .gap))
    }
    tellOfSilenced(in: item.buffer)
  }

  /// The source reports only a count, so the whole buffer is the stretch.
  private func tellOfSilenced(in buffer: AudioBuffer) {
    guard buffer.silencedSampleCount > 0 else { return }
    let rate = buffer.format.sampleRate
    let stretch = buffer.firstFrame.duration(at: rate)..<buffer.endFrame.duration(at: rate)
    mailbox.post(
      .dropped(stretch, reason: .nonFinite(sampleCount: buffer.silencedSampleCount)))
  }

  private var isWanted: Bool { !isOver && !mailbox.isClosed }

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
        mailbox.post(.dropped(stretch, reason: .nonFinite(sampleCount: count)))
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
      guard setbacks.survives(error) else {
        isOver = true
        throw error
      }
      utterance.failure = SpeechClientError(of: error)
    }
  }

  private func follow(_ action: UtteranceFinder.Action) throws {
    switch action {
    case .begin(let frame, let sound):
      utterance = Utterance(start: frame, sound: sound)
      results.begin(at: frame)
      mailbox.post(.speechStarted(at: sound.duration(at: .speech)))
      try survive { session = try session ?? engine.makeSession(options) }
      try attempt { try $0.beginUtterance() }
    case .hear(let samples):
      utterance.heard = utterance.heard + FrameCount(samples.count)
      utterance.voicing.add(samples)
      try attempt { try $0.process(samples) }
      try postPartial()
    case .pause(let silence): try anticipateEnd(after: silence)
    case .end(let silence): try end(after: silence)
    }
  }

  private func end(after silence: FrameCount) throws {
    let end = max(utterance.sound, utterance.end - silence)
    try attempt { try finish($0, at: end, after: silence) }
    if let failure = utterance.failure {
      results.lose()
      let times = utterance.sound.duration(at: .speech)..<end.duration(at: .speech)
      mailbox.post(.dropped(times, reason: .engineFailed(failure)))
    }
    mailbox.post(.speechEnded(at: end.duration(at: .speech)))
    reported = end
  }

  private func finish(
    _ session: any SpeechEngineSession, at end: FrameCount, after silence: FrameCount
  ) throws {
    let padding = padding(for: session, after: silence)
    if !padding.isEmpty { try session.process(padding) }
    let final = results.final(
      try session.finishUtterance(), heard: utterance.heard, plausibility: plausibility(until: end))
    if let final { mailbox.post(.result(final)) }
    setbacks.makeGood()
  }

  /// Lets the engine decode what may be the whole utterance; where more silence has to follow, that
  /// would be in vain.
  private func anticipateEnd(after silence: FrameCount) throws {
    guard anticipatesEnd, !isLate, !isAhead else { return }
    try attempt { session in
      guard padding(for: session, after: silence).isEmpty else { return }
      try session.anticipateEnd()
      if options.wantsPartialHypotheses { try postPartial(of: session) }
    }
  }

  /// As much silence as the engine needs for the last word or a short one, or the policy says.
  private func padding(for session: any SpeechEngineSession, after silence: FrameCount) -> [Float] {
    finder.padding(
      after: silence, wanted: session.tailPadding, heard: utterance.heard,
      shortest: engine.utteranceLength.lowerBound)
  }

  /// What the words up to `end` are measured by; nil for key phrases: one may be short in long
  /// speech, and has a threshold of its own.
  private func plausibility(until end: FrameCount) -> Plausibility? {
    guard options.keyPhrases.isEmpty else { return nil }
    return Plausibility(isVoiced: utterance.voicing.isVoiced, sound: end - utterance.sound)
  }

  private func postProgress() {
    guard !finder.isInUtterance, finder.judgedEnd - reported >= Self.progressStep else { return }
    reported = finder.judgedEnd
    mailbox.post(.progressed(to: reported.duration(at: .speech)))
  }

  private func postPartial() throws {
    guard options.wantsPartialHypotheses, !isLate,
      utterance.heard - utterance.heardAtPartial >= partialStep,
      // A decode that starts now would delay the one for which `anticipateEnd` is called.
      !(anticipatesEnd && finder.isInPause)
    else { return }
    try attempt { try postPartial(of: $0) }
  }

  private func postPartial(of session: any SpeechEngineSession) throws {
    utterance.heardAtPartial = utterance.heard
    let partial = results.partial(
      try session.hypothesis, heard: utterance.heard,
      plausibility: plausibility(until: max(utterance.sound, utterance.end)))
    if let partial { mailbox.post(.result(partial)) }
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
