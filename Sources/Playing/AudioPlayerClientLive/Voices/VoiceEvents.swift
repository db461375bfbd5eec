import AudioCore
import AudioPlayerClient
import AudioThreads
import Synchronization

/// Reports the events of a voice in order, and waits for its end.
final class VoiceEvents: Sendable {
  /// Reports an event to the playback's listener, in order.
  let report: @Sendable (PlaybackEvent) -> Void
  private let rate: SampleRate
  private let progressFrames: Int
  /// Holds the time of a virtual card from the end of the voice until the caller has the result.
  private let hold: TimeHold?
  private let over = Gate()
  // The lock is held for a few instructions by the control thread, the feeder, and the session. The
  // outcome is valid once `over` is open.
  private let state:
    Mutex<(timeline: VoiceTimeline, reportedFrames: Int, outcome: Result<Duration, any Error>)>

  /// - Parameters:
  ///   - rate: the rate of the voice's frames.
  ///   - speed: the seconds of sources in a second of the voice.
  ///   - progressInterval: the time between progress events, at least 50 ms.
  ///   - hold: begins when the voice is over.
  init(
    rate: SampleRate, speed: Double = 1, progressInterval: Duration = .milliseconds(50),
    hold: TimeHold? = nil, report: @escaping @Sendable (PlaybackEvent) -> Void
  ) {
    self.rate = rate
    self.hold = hold
    self.report = report
    progressFrames = FrameCount(max(.milliseconds(50), progressInterval), at: rate).rawValue
    state = Mutex((VoiceTimeline(rate: rate, speed: speed), 0, .success(.zero)))
  }

  /// Reads or changes the timeline.
  func timeline<Result: Sendable>(_ body: (inout VoiceTimeline) -> Result) -> Result {
    state.withLock { body(&$0.timeline) }
  }

  /// Reports what happened up to a frame that has been played, and the progress if it is due.
  func pass(_ frame: Int) {
    for event in timeline({ $0.pass(frame) }) { report(event) }
    let progress = state.withLock { state -> PlaybackProgress? in
      guard frame >= state.reportedFrames + progressFrames else { return nil }
      state.reportedFrames = frame
      return state.timeline.progress(frame)
    }
    if let progress { report(.progress(progress)) }
  }

  /// Reports the rest of a voice that ends at a frame; without an error it was played to there.
  func end(at frame: Int, _ error: (any Error)? = nil) {
    hold?.begin()
    for event in timeline({ $0.pass(frame) }) { report(event) }
    report(.progress(timeline { $0.progress(frame) }))
    let played = FrameCount(frame).duration(at: rate)
    state.withLock { $0.outcome = error.map { .failure($0) } ?? .success(played) }
    over.open()
  }

  /// Returns the played duration when the voice is over; throws if the device failed.
  func played() async throws -> Duration {
    await over.wait()
    return try state.withLock { $0.outcome }.get()
  }
}
