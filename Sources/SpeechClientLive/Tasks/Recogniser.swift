import AudioCore
import AudioThreads
import SpeechClient
import SpeechEngine

/// Everything between the audio and the results of one task, on a thread of its own, because the
/// engine blocks.
actor Recogniser {
  /// How much audio the engine hears at a time; a cancelled task stops after so much.
  static let step = Duration.milliseconds(100)

  /// The thread that all of it happens on; it ends with the actor.
  nonisolated let executor: ThreadExecutor

  private let engine: SpeechEngine
  private let options: SpeechSessionOptions
  private let mailbox: ResultMailbox
  private var session: (any SpeechEngineSession)?
  private var conversion = SpeechConversion()
  private var finder: UtteranceFinder
  private var results = UtteranceResults()

  init(
    engine: SpeechEngine, options: SpeechSessionOptions, policy: EndpointPolicy,
    mailbox: ResultMailbox
  ) throws {
    finder = UtteranceFinder(policy: policy)
    executor = try ThreadExecutor(name: "syrinx-speech")
    self.engine = engine
    self.options = options
    self.mailbox = mailbox
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
  }

  /// Recognises a buffer; the results go into the mailbox as they are made.
  func hear(_ buffer: AudioBuffer) throws {
    for slice in buffer.slices(of: Self.step) {
      guard session != nil, !mailbox.isClosed else { return }
      try follow(try conversion.add(slice))
    }
  }

  /// Recognises what is left; after it nothing more is heard.
  func finish() throws {
    guard session != nil, !mailbox.isClosed else { return }
    try follow(try conversion.finish())
    try follow(finder.finish())
    session = nil
  }

  private func follow(_ pieces: [SpeechConversion.Piece]) throws {
    for piece in pieces {
      switch piece {
      case .audio(let buffer): try follow(finder.add(buffer.samples))
      case .gap(let frame):
        try follow(finder.finish())
        finder.skip(to: frame)
      }
    }
  }

  private func follow(_ actions: [UtteranceFinder.Action]) throws {
    do {
      for action in actions { try follow(action) }
    } catch {
      session = nil
      throw error
    }
  }

  private func follow(_ action: UtteranceFinder.Action) throws {
    switch action {
    case .begin(let frame):
      results.begin(at: frame)
      try session?.beginUtterance()
    case .hear(let samples):
      try session?.process(samples)
      postPartial()
    case .end:
      if let hypothesis = try session?.finishUtterance(), let final = results.final(hypothesis) {
        mailbox.post(final)
      }
    }
  }

  private func postPartial() {
    guard options.wantsPartialHypotheses, let session else { return }
    if let partial = results.partial(session.hypothesis) { mailbox.post(partial) }
  }
}

extension AudioBuffer {
  /// The buffer in pieces of at most `length`.
  fileprivate func slices(of length: Duration) -> [AudioBuffer] {
    let step = max(1, FrameCount(length, at: format.sampleRate).rawValue)
    return stride(from: 0, to: frameCount.rawValue, by: step).map { begin in
      frames(FrameCount(begin)..<min(FrameCount(begin + step), frameCount))
    }
  }
}
