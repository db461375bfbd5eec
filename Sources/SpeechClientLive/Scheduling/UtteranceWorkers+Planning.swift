import SpeechClient
import SpeechEngine

extension UtteranceWorkers {
  /// The audio and the engine of a task as its recogniser is to have them: as they are, or, where
  /// several utterances are wanted at a time, with a scout in the audio and workers behind the
  /// engine.
  func planned(
    _ audio: LookAhead.Audio, on engine: SpeechEngine, _ options: SpeechSessionOptions,
    for request: SpeechRequest, finding detector: SpeechActivityDetector, pulse: Pulse,
    interruption: Interruption,
    isWanted: @escaping @Sendable () -> Bool
  ) throws -> (LookAhead.Audio, SpeechEngine) {
    // A session for key phrases wants to hear silence behind each utterance.
    guard request.jobCount > 1, request.backPressure == .wait, !options.wantsPartialHypotheses,
      options.keyPhrases.isEmpty, let makeListener = engine.makeListener
    else { return (audio, engine) }
    let policy = request.endpointPolicy.fitted(to: engine)
    let lookAhead = LookAhead(jobCount: request.jobCount, longest: policy.longest)
    let plan = UtterancePlan(
      engine: engine, options: options, jobCount: request.jobCount, workers: self,
      pulse: pulse, interruption: interruption, isWanted: isWanted,
      whenFirst: { lookAhead.comesFirst() })
    var planned = engine
    planned.makeSession = { options in
      try PlannedSession(plan: plan, listener: try makeListener(options)) { lookAhead.heard($0) }
    }
    let scout = try UtteranceScout(plan: plan, policy: policy, detector: detector)
    return (lookAhead.audio(audio, scout: scout), planned)
  }
}
