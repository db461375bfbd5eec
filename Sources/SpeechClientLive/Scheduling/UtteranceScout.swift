import AudioCore
import AudioThreads
import SpeechClient
import SpeechEngine

/// Goes ahead of a task's recogniser and finds the utterances, so that workers can take several at
/// a time.
///
/// It cuts the audio as the recogniser will. Where it cannot go on it stops: the recogniser comes
/// to the same place, and says why.
actor UtteranceScout {
  private let executor: ThreadExecutor
  private let plan: UtterancePlan
  private var listener: (any SpeechStreamListener)?
  private var conversion = SpeechConversion()
  private var finder: UtteranceFinder
  private var pieces: [[Float]] = []
  private var foundCount = 0

  /// - Parameter policy: the one that is fitted to the engine.
  init(plan: UtterancePlan, policy: EndpointPolicy, detector: SpeechActivityDetector) throws {
    executor = try ThreadExecutor(name: "syrinx-scout")
    finder = UtteranceFinder(policy: policy, detector: detector)
    self.plan = plan
  }

  /// The front end and the resampler are let go of on the thread that used them.
  isolated deinit {
    listener = nil
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func begin() {
    listener = try? plan.engine.makeListener?(plan.options)
  }

  /// Looks at the next buffer; gives how many utterances have been found so far.
  func look(at buffer: AudioBuffer) -> Int {
    go {
      for slice in buffer.slices(of: Recogniser.step) { try follow(try conversion.add(slice)) }
    }
  }

  /// The audio has ended.
  func finish() {
    _ = go {
      try follow(try conversion.finish())
      try follow(finder.finish())
    }
  }

  private func go(_ body: () throws -> Void) -> Int {
    guard listener != nil else { return foundCount }
    do {
      try body()
    } catch {
      listener = nil
    }
    return foundCount
  }

  private func follow(_ found: [SpeechConversion.Piece]) throws {
    for piece in found {
      switch piece {
      case .audio(let buffer): try follow(try finder.add(buffer.samples))
      case .gap(let frame):
        try follow(finder.finish())
        finder.skip(to: frame)
      // The recogniser reports it.
      case .nonFinite: break
      }
    }
  }

  private func follow(_ actions: [UtteranceFinder.Action]) throws {
    for action in actions {
      switch action {
      case .begin: pieces = []
      case .hear(let samples): pieces.append(samples)
      // The workers have the whole utterance at once.
      case .pause: break
      case .end(let silence):
        // As the recogniser will: words of other pieces would have to be found anew.
        let padding = finder.padding(
          after: silence, wanted: listener?.tailPadding ?? .zero,
          heard: FrameCount(pieces.reduce(0) { $0 + $1.count }),
          shortest: plan.engine.utteranceLength.lowerBound)
        if !padding.isEmpty { pieces.append(padding) }
        try found()
      }
    }
  }

  private func found() throws {
    guard let listener else { return }
    try plan.find(foundCount, pieces, knowing: listener.knowledge)
    listener.hear(pieces)
    foundCount += 1
    pieces = []
  }
}
