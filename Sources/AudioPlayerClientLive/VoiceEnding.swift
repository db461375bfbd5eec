import AudioCore
import AudioPlayerClient
import Synchronization

/// Turns the engine's reports on a voice into events, and waits for the last one.
final class VoiceEnding: Sendable {
  private struct State {
    var timeLine: VoiceTimeLine
    var outcome: Result<Duration, any Error>?
    var waiting: CheckedContinuation<Duration, any Error>?
    var told = 0
    var isPaused = false
  }

  private let rate: SampleRate
  private let progressFrames: Int
  private let waiters: ControlWaiters
  // Held for a few instructions by the reporter's thread, the feeder and the session.
  private let state: Mutex<State>

  /// - Parameters:
  ///   - rate: the rate of the voice's frames.
  ///   - progressInterval: how often the progress is told, 50 ms at least.
  init(
    rate: SampleRate, progressInterval: Duration = .milliseconds(50), waiters: ControlWaiters
  ) {
    self.rate = rate
    progressFrames = FrameCount(max(.milliseconds(50), progressInterval), at: rate).rawValue
    self.waiters = waiters
    state = Mutex(State(timeLine: VoiceTimeLine(rate: rate)))
  }

  /// Takes a report and passes on what is an event.
  func take(_ voiceReport: VoiceReport, _ report: (PlaybackEvent) -> Void) {
    switch voiceReport {
    case .heard(let frames):
      tell(frames, report)
      if let progress = advance(to: frames) { report(.progress(progress)) }
    case .settled(let serial, let frame, let isPaused):
      settle(at: frame, isPaused: isPaused)
      waiters.settle(serial)
    case .starved(let frames):
      report(.starved(FrameCount(frames).duration(at: rate)))
    case .silence(let frames):
      report(.xrun(FrameCount(frames).duration(at: rate)))
    case .limited(let gain):
      report(.limited(Decibels(amplitude: Double(gain))))
    case .deviceLost: report(.deviceLost)
    case .deviceReturned(let gap): report(.deviceReturned(gap: gap))
    case .finished(let frames):
      tellLast(frames, report)
      end(.success(FrameCount(frames).duration(at: rate)))
    case .failed(let error, let frames):
      tellLast(frames, report)
      end(.failure(error))
    }
  }

  /// Looks at the time-line, or writes on it.
  func timeLine<Result: Sendable>(_ body: (inout VoiceTimeLine) -> Result) -> Result {
    state.withLock { body(&$0.timeLine) }
  }

  /// Returns what has been heard when the voice is over; throws where the device failed.
  func heard() async throws -> Duration {
    try await withCheckedThrowingContinuation { continuation in
      let outcome = state.withLock { state in
        if state.outcome == nil { state.waiting = continuation }
        return state.outcome
      }
      if let outcome { continuation.resume(with: outcome) }
    }
  }

  /// Tells what has happened up to a frame.
  private func tell(_ frames: Int, _ report: (PlaybackEvent) -> Void) {
    for (note, progress) in timeLine({ $0.pass(frames) }) {
      report(note.event(progress))
    }
  }

  private func tellLast(_ frames: Int, _ report: (PlaybackEvent) -> Void) {
    tell(frames, report)
    report(.progress(timeLine { $0.progress(frames) }))
  }

  /// Notes what has been heard, and where that is; nil where that is too little to be told.
  private func advance(to frames: Int) -> PlaybackProgress? {
    state.withLock { state in
      guard frames >= state.told + progressFrames else { return nil }
      state.told = frames
      return state.timeLine.progress(frames)
    }
  }

  private func settle(at frame: Int, isPaused: Bool) {
    state.withLock { state in
      guard isPaused != state.isPaused else { return }
      state.isPaused = isPaused
      state.timeLine.note(isPaused ? .paused : .resumed, at: frame)
    }
  }

  private func end(_ outcome: Result<Duration, any Error>) {
    let waiting = state.withLock { state in
      state.outcome = outcome
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume(with: outcome)
  }
}

extension VoiceNote {
  /// The event that tells of it.
  func event(_ progress: PlaybackProgress) -> PlaybackEvent {
    switch self {
    case .looped(let count): .looped(progress, count: count)
    case .advanced: .advanced(progress)
    case .paused: .paused(progress)
    case .resumed: .resumed(progress)
    case .sought: .sought(progress)
    case .shortfall(let item, let announced, let decoded):
      .shortfall(item: item, announced: announced, decoded: decoded)
    case .nonFinite(let count): .nonFinite(sampleCount: count)
    case .failed(let item, let error): .failed(item: item, error)
    }
  }
}
