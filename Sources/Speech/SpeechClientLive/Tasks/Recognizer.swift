import AudioCore
import AudioThreads
import SpeechClient
import SpeechEngine

/// Turns the audio of one task into results, on its own thread because detection and decoding
/// block.
///
/// It cuts the audio into utterances, which decoders turn into words: one decoder on the same
/// thread, as the audio arrives, or several on their own threads. Events are reported in the order
/// of the audio.
actor Recognizer {
  /// The amount of audio that the engine gets at a time; a canceled task stops after at most one
  /// such piece.
  private static let step = Duration.milliseconds(100)

  /// The silence between two progress reports.
  ///
  /// Channels report more often, because the merger waits for their progress.
  private static let progressSteps = (
    task: FrameCount(.seconds(5), at: .speech),
    channel: FrameCount(.milliseconds(200), at: .speech)
  )

  /// The number of consecutive failures that ends the stream, if the engine survives failures.
  private static let failureLimit = 3

  /// The actor's thread; it ends with the actor.
  nonisolated let executor: ThreadExecutor

  private let engine: SpeechEngine
  private let options: SpeechSessionOptions
  private let policy: EndpointPolicy
  private let detector: SpeechActivityDetector
  /// Whether the audio may come from a live source.
  private let isLive: Bool
  /// Whether neighboring utterances may be decoded as one.
  private let joinsUtterances: Bool
  /// Whether the audio is one of several channels, whose events are merged.
  private let isChannel: Bool
  private let spelling: PhraseSpelling
  private let events: EventPipe
  /// Counts the steps of recognition, and interrupts the engine's calls.
  private let control: TaskControl
  /// The maximum number of decoders; each is made when it is first needed.
  private let jobCount: Int
  private var decoders: [Decoder] = []
  /// For each decoder, the number of samples in utterances whose words have not been reported.
  private var loads: [Int] = []
  /// The traits of the engine.
  private var traits = SpeechSessionTraits()
  /// The failures of the engine since the last recognized utterance.
  private var failures: [any Error] = []
  private var isOver = true
  private var conversion = SpeechConversion()
  private var finder = UtteranceFinder()
  /// Joins the found utterances; nil if each utterance is decoded when it ends.
  private var joiner: UtteranceJoiner?
  /// The minimum pause between words that divides a joined utterance into results.
  private var pause: Duration?
  private var results = UtteranceResults()
  private var utterance = Utterance()
  /// The part of the utterance's audio that no decoder has received yet.
  private var pieces: [[Float]] = []
  /// The last report that waits for the words of an utterance; nil if no report waits.
  private var lastReport: Task<Void, Never>?
  /// The tasks that each wait for the words of an ended utterance and report them, the oldest
  /// first.
  private var unfinished: [Task<Void, Never>] = []
  /// The decoder failure that ended the stream; nil if there was none.
  private var failure: (any Error)?
  /// Whether the recognizer lags behind a live source.
  private var isLate = false
  /// Whether more audio is already queued, so an early decode in a pause would be wasted.
  private var isAhead = false
  /// The end of the audio up to which progress was reported.
  private var reported: FrameCount = 0

  /// Creates a recognizer.
  ///
  /// `jobCount` is the number of utterances that are decoded at the same time; it must be 1 for
  /// partial results. If `isLive` is true, an engine with a `decodeInterval` also decodes early, in
  /// pauses that may end the utterance. If `joinsUtterances` is true, neighboring utterances may be
  /// decoded as one. `spelling` is the spelling of the request's phrases. `channelExecutor` runs the
  /// recognizer of one of several channels; it is nil if the recognizer has a thread of its own.
  init(
    engine: SpeechEngine, options: SpeechSessionOptions, policy: EndpointPolicy,
    detector: SpeechActivityDetector, jobCount: Int = 1, isLive: Bool,
    joinsUtterances: Bool = false, spelling: PhraseSpelling = PhraseSpelling([]),
    events: EventPipe, control: TaskControl = TaskControl(),
    channelExecutor: ThreadExecutor? = nil
  ) throws {
    executor = try channelExecutor ?? ThreadExecutor(name: "syrinx-speech")
    isChannel = channelExecutor != nil
    (self.engine, self.options, self.policy, self.detector) = (engine, options, policy, detector)
    (self.jobCount, self.isLive, self.joinsUtterances) = (jobCount, isLive, joinsUtterances)
    self.spelling = spelling
    (self.events, self.control) = (events, control)
  }

  /// Releases the resampler on the thread that used it.
  isolated deinit {
    conversion = SpeechConversion()
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// Loads the engine's model, or connects to its server.
  func prepare() async throws {
    guard !events.inspect(\.isClosed) else { return }
    traits = try await decoders[leastBusyDecoder()].prepare()
    var policy = policy.fitted(to: traits)
    let joins = joinsUtterances && traits.decodeInterval != nil
    if joins {
      (joiner, pause) = (UtteranceJoiner(limit: policy.maximumLength), policy.silence)
      policy.silence = UtteranceJoiner.shortestPause
    }
    results = UtteranceResults(
      hasStableWords: !joins, spotsPhrases: !options.keyPhrases.isEmpty, spelling: spelling)
    finder = UtteranceFinder(
      policy: policy, overlap: options.longestKeyPhrase, detector: detector)
    isOver = false
  }

  /// Whether the engine decodes in pauses.
  private var anticipatesEnd: Bool { isLive && traits.decodeInterval != nil }

  /// The minimum amount of audio between two partial results.
  ///
  /// Smaller buffers therefore cause no additional decodes.
  private var partialStep: FrameCount {
    FrameCount(traits.decodeInterval ?? .milliseconds(80), at: .speech)
  }

  /// Recognizes the next audio; results go into the pipe at once.
  ///
  /// `hasMore` returns whether more audio is already queued; if so, no early decode is needed.
  func add(
    _ item: IntakeQueue.Item, hasMore: @Sendable () -> Bool = { false }
  ) async throws {
    try await report(item)
    isLate = item.isLate
    for slice in item.buffer.slices(of: Self.step) {
      if let failure { throw failure }
      guard isWanted else { return }
      isAhead = anticipatesEnd && hasMore()
      try await process(slice)
      if !finder.isInUtterance { try await perform(joiner?.pass(to: finder.earliestStart) ?? []) }
      postProgress()
      control.countStep()
    }
  }

  /// Recognizes the remaining audio and ends the recognition.
  func finish() async throws {
    try await endStretch()
    try await wait(until: 0)
    (decoders, loads, isOver) = ([], [], true)
    if let failure = failures.last { throw failure }
  }

  /// Reports an item's losses and its non-finite samples, after the results of earlier audio.
  ///
  /// A loss ends the current stretch of audio, unless the gap is short.
  private func report(_ item: IntakeQueue.Item) async throws {
    if !item.losses.isEmpty, !conversion.continues(with: item.buffer) { try await endStretch() }
    for loss in item.losses { post(loss) }
    // The source reports the number of its non-finite samples but not their positions, so the range
    // is that of the whole buffer.
    let buffer = item.buffer
    guard buffer.silencedSampleCount > 0 else { return }
    let stretch = (buffer.firstFrame..<buffer.endFrame).timestamps(at: buffer.format.sampleRate)
    post(.dropped(stretch, reason: .nonFinite(sampleCount: buffer.silencedSampleCount)))
  }

  private var isWanted: Bool { !isOver && !events.inspect(\.isClosed) }

  private func endStretch() async throws {
    guard isWanted else { return }
    try await join(try finder.add(try conversion.flush()))
    // The audio has ended or has a gap here, so the current utterance ends, too.
    try await join(finder.flush())
    try await perform(joiner?.flush() ?? [])
  }

  /// Finds utterances in the next audio; after a gap, first ends any current utterance.
  private func process(_ audio: AudioBuffer) async throws {
    var audio = audio
    let rate = audio.format.sampleRate
    if !conversion.continues(with: audio) {
      try await endStretch()
      finder.skip(to: audio.firstFrame.converted(from: rate, to: .speech))
    }
    if let silenced = audio.silenceNonFinite() {
      let stretch = silenced.frames.timestamps(at: rate)
      post(.dropped(stretch, reason: .nonFinite(sampleCount: silenced.count)))
    }
    try await join(try finder.add(try conversion.process(audio)))
  }

  private func join(_ actions: [UtteranceFinder.Action]) async throws {
    for action in actions { try await perform(joiner?.add(action) ?? [action]) }
  }

  private func perform(_ actions: [UtteranceFinder.Action]) async throws {
    for action in actions {
      guard isWanted else { return }
      try await perform(action)
      control.countStep()
    }
  }

  private func perform(_ action: UtteranceFinder.Action) async throws {
    switch action {
    case .begin(let frame, let sound):
      utterance = Utterance(start: frame, sound: sound, pause: pause)
      post { recognizer in
        recognizer.results.begin(at: frame)
        recognizer.events.send(.speechStarted(at: sound.duration(at: .speech)))
      }
    case .resume(let silence, let certainty, let frame, let sound):
      utterance.endSound(after: silence, certainty: certainty)
      utterance.resume(at: frame, sound: sound)
    case .audio(let samples):
      utterance.add(samples)
      pieces.append(samples)
      try await decodeEarly()
    case .pause(let silence): try await anticipateEnd(after: silence)
    case .end(let silence, let certainty):
      utterance.endSound(after: silence, certainty: certainty)
      reported = utterance.sound.upperBound
      let padding = padding(after: silence)
      if !padding.isEmpty { pieces.append(padding) }
      try decode()
      // A single decoder uses this thread, so wait for all results. Several decoders use their own
      // threads, so wait only while more than one utterance is queued; every decoder stays busy.
      try await wait(until: jobCount == 1 ? 0 : jobCount + 1)
    }
  }

  /// Returns the silence that the engine or the policy requires after the last word.
  private func padding(after silence: FrameCount) -> [Float] {
    finder.padding(
      after: silence, wanted: traits.tailPadding, length: utterance.length,
      shortest: traits.utteranceLength.lowerBound)
  }

  private func postProgress() {
    // No later utterance of the channel may begin before the reported progress.
    let end = isChannel ? finder.earliestStart : finder.judgedEnd
    let step = isChannel ? Self.progressSteps.channel : Self.progressSteps.task
    guard !finder.isInUtterance, joiner?.isEmpty ?? true, end - reported >= step else { return }
    reported = end
    post(.progressed(to: reported.duration(at: .speech)))
  }
}

/// Decodes utterances, and reports events in the order of the audio.
extension Recognizer {
  /// Returns the decoder with the least work; creates a decoder if all are busy and `jobCount`
  /// permits another.
  private func leastBusyDecoder() throws -> Int {
    let least = loads.indices.min { loads[$0] < loads[$1] }
    if let least, loads[least] == 0 || loads.count == jobCount { return least }
    do {
      decoders.append(
        Decoder(
          engine: engine, options: options,
          executor: jobCount == 1 ? executor : try ThreadExecutor(name: "syrinx-decoder"),
          control: control,
          isWanted: { [events] in !events.inspect(\.isClosed) }))
    } catch {
      // If the system refuses another thread, the existing decoders do the work.
      guard let least else { throw error }
      return least
    }
    loads.append(0)
    return loads.count - 1
  }

  /// Decodes an utterance that has ended, and reports its words after the words of earlier
  /// utterances.
  private func decode() throws {
    let (utterance, pieces) = (utterance, pieces)
    self.pieces = []
    guard utterance.failure == nil else { return post { $0.postEnd(of: utterance) } }
    let (index, load) = (try leastBusyDecoder(), utterance.length.rawValue)
    loads[index] += load
    let words = Task { [decoder = decoders[index]] in
      try await decoder.finish(pieces, measuresWordTimes: utterance.isJoined)
    }
    let report = postLater { recognizer in
      let words = await words.result
      recognizer.loads[index] -= load
      recognizer.postFinals(words, of: utterance)
    }
    unfinished.append(report)
  }

  /// Passes the audio of an unfinished utterance to the decoder, and reports the words so far.
  ///
  /// Does nothing if there are several decoders, because they decode only whole utterances.
  private func decodeEarly() async throws {
    let pieces = pieces
    try await attempt { recognizer, decoder in
      recognizer.pieces = []
      try await decoder.process(pieces)
    }
    guard options.wantsPartialHypotheses, !isLate,
      utterance.length - utterance.lengthAtPartial >= partialStep,
      // In a pause, a partial decode would delay the decode that `anticipateEnd` requests.
      !(anticipatesEnd && finder.isInPause)
    else { return }
    try await attempt { try await $0.postPartial(of: $1) }
  }

  /// Asks the engine to decode the utterance early, unless more silence must be appended.
  private func anticipateEnd(after silence: FrameCount) async throws {
    guard anticipatesEnd, !isLate, !isAhead, padding(after: silence).isEmpty else { return }
    try await attempt { recognizer, decoder in
      try await decoder.anticipateEnd()
      if recognizer.options.wantsPartialHypotheses { try await recognizer.postPartial(of: decoder) }
    }
  }

  private func postPartial(of decoder: Decoder) async throws {
    utterance.lengthAtPartial = utterance.length
    let partial = results.partial(of: utterance, try await decoder.hypothesis())
    if let partial { events.send(.result(partial)) }
  }

  /// Runs `body` with the decoder of the unfinished utterance.
  ///
  /// Does nothing if there are several decoders, or if the utterance has already failed.
  private func attempt(
    _ body: (isolated Recognizer, Decoder) async throws -> Void
  ) async throws {
    guard jobCount == 1, utterance.failure == nil else { return }
    do {
      try await body(self, decoders[0])
    } catch {
      utterance.failure = try utteranceFailure(error)
    }
  }

  /// Returns the error to report for a failed utterance; throws if the failure ends the stream.
  private func utteranceFailure(_ error: any Error) throws -> SpeechClientError {
    failures.append(error)
    let isTransient = (error as? SpeechEngineError)?.isTransient == true
    guard traits.survivesFailure, isTransient, failures.count < Self.failureLimit else {
      isOver = true
      throw error
    }
    return SpeechClientError(of: error)
  }

  /// Reports an event after the events of earlier utterances.
  private func post(_ event: SpeechRecognitionEvent) {
    post { $0.events.send(event) }
  }

  private func post(_ report: @escaping @Sendable (isolated Recognizer) -> Void) {
    if lastReport == nil { report(self) } else { _ = postLater(report) }
  }

  private func postLater(
    _ report: @escaping @Sendable (isolated Recognizer) async -> Void
  ) -> Task<Void, Never> {
    let task = Task { [lastReport] in
      await lastReport?.value
      if failure == nil { await report(self) }
    }
    lastReport = task
    return task
  }

  /// Waits until at most `count` utterances have unreported words.
  ///
  /// - Throws: the failure of a decoder that ends the stream.
  private func wait(until count: Int) async throws {
    while unfinished.count > count { await unfinished.removeFirst().value }
    if count == 0 {
      await lastReport?.value
      lastReport = nil
    }
    if let failure { throw failure }
  }

  /// Reports the results of an utterance, and its end.
  private func postFinals(
    _ words: Result<SpeechHypothesis, any Error>, of utterance: Utterance
  ) {
    var utterance = utterance
    do {
      let hypothesis = try words.get()
      failures = []
      for event in results.events(of: utterance, hypothesis) { events.send(event) }
    } catch {
      do { utterance.failure = try utteranceFailure(error) } catch { return failure = error }
    }
    postEnd(of: utterance)
  }

  private func postEnd(of utterance: Utterance) {
    if let failure = utterance.failure {
      results.lose()
      let sound = utterance.sound.timestamps(at: .speech)
      events.send(.dropped(sound, reason: .engineFailed(failure)))
    }
    events.send(.speechEnded(at: utterance.sound.upperBound.duration(at: .speech)))
  }
}
