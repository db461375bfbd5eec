import AudioCore
import AudioPlayerClient
import AudioThreads
import Synchronization

/// Turns the device's reports about a voice into playback events, and waits for the last one.
final class VoiceEvents: Sendable {
  private struct State {
    var timeline: VoiceTimeline
    /// The result once `over` is open.
    var outcome: Result<Duration, any Error> = .success(.zero)
    var reportedFrames = 0
    var isPaused = false
  }

  private let rate: SampleRate
  private let progressFrames: Int
  private let waiters: CommandWaiters
  private let over = Gate()
  // Held for a few instructions by the control thread, the feeder, and the session.
  private let state: Mutex<State>

  /// - Parameters:
  ///   - rate: the rate of the voice's frames.
  ///   - speed: the seconds of sources in a second of the voice.
  ///   - progressInterval: the time between progress events, at least 50 ms.
  init(
    rate: SampleRate, speed: Double = 1, progressInterval: Duration = .milliseconds(50),
    waiters: CommandWaiters
  ) {
    self.rate = rate
    progressFrames = FrameCount(max(.milliseconds(50), progressInterval), at: rate).rawValue
    self.waiters = waiters
    state = Mutex(State(timeline: VoiceTimeline(rate: rate, speed: speed)))
  }

  /// Processes a report and passes on its events.
  func process(_ voiceReport: VoiceReport, _ report: (PlaybackEvent) -> Void) {
    switch voiceReport {
    case .played(let frames):
      reportEvents(upTo: frames, report)
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
      reportLast(frames, report)
      end(.success(FrameCount(frames).duration(at: rate)))
    case .failed(let error, let frames):
      reportLast(frames, report)
      end(.failure(error))
    }
  }

  /// Reads or changes the timeline.
  func timeline<Result: Sendable>(_ body: (inout VoiceTimeline) -> Result) -> Result {
    state.withLock { body(&$0.timeline) }
  }

  /// Returns the played duration when the voice is over; throws if the device failed.
  func played() async throws -> Duration {
    await over.wait()
    return try state.withLock { $0.outcome }.get()
  }

  private func reportEvents(upTo frames: Int, _ report: (PlaybackEvent) -> Void) {
    for (event, progress) in timeline({ $0.pass(frames) }) {
      report(event.playbackEvent(progress))
    }
  }

  private func reportLast(_ frames: Int, _ report: (PlaybackEvent) -> Void) {
    reportEvents(upTo: frames, report)
    report(.progress(timeline { $0.progress(frames) }))
  }

  /// Returns the progress at a frame; nil if the last report was too recent.
  private func advance(to frames: Int) -> PlaybackProgress? {
    state.withLock { state in
      guard frames >= state.reportedFrames + progressFrames else { return nil }
      state.reportedFrames = frames
      return state.timeline.progress(frames)
    }
  }

  private func settle(at frame: Int, isPaused: Bool) {
    state.withLock { state in
      guard isPaused != state.isPaused else { return }
      state.isPaused = isPaused
      state.timeline.add(isPaused ? .paused : .resumed, at: frame)
    }
  }

  private func end(_ outcome: Result<Duration, any Error>) {
    state.withLock { $0.outcome = outcome }
    over.open()
  }
}

extension TimelineEvent {
  /// The event for the playback's listener.
  func playbackEvent(_ progress: PlaybackProgress) -> PlaybackEvent {
    switch self {
    case .looped(let count): .looped(progress, count: count)
    case .advanced: .advanced(progress)
    case .paused: .paused(progress)
    case .resumed: .resumed(progress)
    case .sought: .sought(progress)
    case .shortfall(let item, let announced, let decoded):
      .shortfall(item: item, announced: announced, decoded: decoded)
    case .title(let item, let title): .title(item: item, title)
    case .nonFinite(let count): .nonFinite(sampleCount: count)
    case .failed(let item, let error): .failed(item: item, error)
    }
  }
}
