import AudioCore
import AudioPlayerClient
import AudioThreads
import SoundCard
import Synchronization

extension Voice {
  /// Reads or changes the timeline, after updating its origin time.
  func timeline<Result: Sendable>(_ body: (inout VoiceTimeline) -> Result) -> Result {
    reported.withLock { reported in
      reported.timeline.originTime = originTime
      return body(&reported.timeline)
    }
  }

  /// Returns the played duration when the voice is over; throws if the device failed.
  func played() async throws -> Duration {
    await ended.wait()
    return try reported.withLock { $0.outcome }.get()
  }

  // MARK: The control thread

  func report(_ event: DeviceEvent) {
    let rate = format.sampleRate
    switch event {
    case .starved(_, let frames): listener(.starved(FrameCount(frames).duration(at: rate)))
    case .silence(_, let frames): listener(.xrun(FrameCount(frames).duration(at: rate)))
    case .limited(let gain): listener(.limited(Decibels(amplitude: Double(gain))))
    case .finished, .returned: break
    }
  }

  func reportNews() {
    if feederRequest.consume() { room.signal() }
    reportSettlement()
    pass(playedFrames.load(ordering: .relaxed))
  }

  func deviceLost() { listener(.deviceLost) }

  func deviceReturned(after gap: Duration) { listener(.deviceReturned(gap: gap)) }

  /// Reports the end; the error is ignored if the voice was already stopping.
  func conclude(_ error: (any Error)?) {
    reportSettlement()
    close()
    reportEnd(at: playedFrames.load(ordering: .relaxed), isStopping ? nil : error)
  }

  /// Reports the events up to a played frame, and the progress if it is due.
  func pass(_ frame: Int) {
    for event in timeline({ $0.pass(frame) }) { listener(event) }
    let progress = reported.withLock { reported -> PlaybackProgress? in
      guard frame >= reported.reportedFrames + progressFrames else { return nil }
      reported.reportedFrames = frame
      return reported.timeline.progress(frame)
    }
    if let progress { listener(.progress(progress)) }
  }

  /// Reports the remaining events of a voice that ends at `frame`, and sets the voice's outcome.
  ///
  /// The outcome is `error`, or the played duration if `error` is nil.
  func reportEnd(at frame: Int, _ error: (any Error)? = nil) {
    hold?.begin()
    for event in timeline({ $0.pass(frame) }) { listener(event) }
    listener(.progress(timeline { $0.progress(frame) }))
    let played = FrameCount(frame).duration(at: format.sampleRate)
    reported.withLock { $0.outcome = error.map { .failure($0) } ?? .success(played) }
    ended.open()
  }

  private func reportSettlement() {
    let (serial, frame, isPaused) = settlement
    timeline { $0.settle(isPaused: isPaused, at: frame) }
    parameters.settle(serial)
  }
}

/// Keeping the delay of a live stream.
extension Voice {
  /// Returns how long the ring and the device's buffer last from `time` on.
  ///
  /// The device's part is zero while the device is lost. Only for the feeder's thread.
  func backlog(at time: ContinuousClock.Instant) -> (ring: Duration, device: Duration) {
    let frames = FrameCount((ring.capacity - ring.writable) / format.channelCount)
    let empty = madeAt + .nanoseconds(emptyTime.load(ordering: .relaxed))
    return (frames.duration(at: format.sampleRate), max(.zero, empty - time))
  }
}
