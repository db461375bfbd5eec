package import AudioCore
package import AudioThreads

/// A playback device whose calls are monitored for hangs.
package typealias MonitoredPlayback = MonitoredDevice<any PlaybackPCM>

/// A capture device whose calls are monitored for hangs.
package typealias MonitoredCapture = MonitoredDevice<any CapturePCM>

/// A device whose calls are monitored for hangs.
///
/// After its thread has been abandoned, every call except `close` throws `deviceLost`, including
/// the current one. `Device` is `any PlaybackPCM` or `any CapturePCM`.
// `@unchecked Sendable` is safe because `configuration` and `waker` are constant, the heartbeat is
// thread-safe, the snapshots belong to the monitoring thread, and everything else belongs to the
// device's thread, as `PCM` requires.
package final class MonitoredDevice<Device>: PCM, @unchecked Sendable {
  /// Records when the device's thread enters and leaves each device call, so that the monitoring
  /// thread detects a hang.
  package let heartbeat = Heartbeat()
  package let configuration: PCMConfiguration
  package let waker: WakeUp
  private let device: Device
  /// `device` as a `PCM`, because `Device` has no constraint.
  private let pcm: any PCM
  /// The memory for transfers.
  ///
  /// The caller's memory is not passed to the device, because a hanging call may access it after
  /// the caller has freed it.
  private let block: UnsafeMutableBufferPointer<Float>

  // MARK: The state of the monitoring thread

  private var lastBeat: Heartbeat.Beat?
  /// Counts the time of the current call.
  private var watch = StallWatch(lateAfter: .zero, limit: .zero, startLimit: .zero)
  private var isSuspected = false

  private init(_ device: Device, watching pcm: any PCM) {
    (self.device, self.pcm) = (device, pcm)
    configuration = pcm.configuration
    waker = pcm.waker
    block = pcm.configuration.makeBlock()
  }

  deinit {
    block.deallocate()
  }

  package var elapsed: Duration { pcm.elapsed }

  package func hostTime(at time: Duration) -> ContinuousClock.Instant { pcm.hostTime(at: time) }

  package func adoptThread() { pcm.adoptThread() }

  package func wait(
    for interest: PCMInterest, atMost timeout: Duration?
  ) throws(SoundCardError) -> PCMWakeUp {
    try call(.wait) { () throws(SoundCardError) in
      try pcm.wait(for: interest, atMost: timeout)
    }
  }

  package func start() throws(SoundCardError) {
    try call(.start) { () throws(SoundCardError) in try pcm.start() }
  }

  package func drop() throws(SoundCardError) {
    try call(.drop) { () throws(SoundCardError) in try pcm.drop() }
  }

  package func close() {
    let isWatched = heartbeat.begin(.close)
    pcm.close()
    if isWatched { _ = heartbeat.end() }
  }

  /// The time between two snapshots of the heartbeat.
  static var interval: Duration { .milliseconds(200) }
  /// The duration after which a call counts as `late`.
  private static var suspicion: Duration { .milliseconds(300) }
  private static var longestLimit: Duration { .seconds(5) }

  /// Waits for a signal for at most one interval, and then checks whether the device hangs.
  ///
  /// Call it on the monitoring thread. If the device hangs, this method abandons the device's
  /// thread and throws, and the caller takes over the thread's work.
  ///
  /// - Parameters:
  ///   - news: the signal to wait for.
  ///   - isEnding: whether the caller wants to end. A call then has the time limit of a sound card,
  ///     even on a slower sound server.
  /// - Returns: false on timeout.
  package func monitor(
    until news: WakeUp, isEnding: Bool = false
  ) throws(SoundCardError) -> Bool {
    let before = SuspendingClock.now
    let isSignaled = news.wait(atMost: Self.interval)
    let beat = heartbeat.beat
    let longest = configuration.patience
    let patience = isEnding ? min(longest, PCMConfiguration.cardPatience) : longest
    switch check(beat, after: before.duration(to: .now), patience: patience) {
    case .fine: break
    case .late: waker.signal()
    case .stalled:
      // If the call returns at this moment, its thread must not be abandoned.
      guard let call = beat.call, heartbeat.abandon(in: beat) else { break }
      throw .notResponding(configuration.device, operation: name(of: call))
    }
    return isSignaled
  }

  private func name(of call: PCMCall) -> String {
    guard call == .transfer else { return "\(call)" }
    return Device.self == (any CapturePCM).self ? "read" : "write"
  }

  /// Checks for a hang in a snapshot that was taken `passed` after the last snapshot.
  ///
  /// Returns `late` once for a call that has not returned but may only be sleeping, and `stalled`
  /// for a call that hangs.
  ///
  /// Each snapshot counts for at most one interval, so a process that was stopped for a minute
  /// reports no hang. Late snapshots indicate a busy machine, for which the limit is at least five
  /// seconds.
  ///
  /// `patience` is the time limit for a call. With `PCMConfiguration.cardPatience`, a hang is
  /// detected within a second of the call's start.
  func check(
    _ beat: Heartbeat.Beat, after passed: Duration, patience: Duration
  ) -> StallWatch.Verdict {
    guard let lastBeat, beat == lastBeat, beat.call != nil else {
      (self.lastBeat, isSuspected) = (beat, false)
      watch = StallWatch(lateAfter: Self.suspicion, limit: .zero, startLimit: .zero)
      watch.progressed()
      return .fine
    }
    // Set the limits in every check, because `patience` is shorter once the caller wants to end.
    (watch.limit, watch.startLimit) = (patience, max(Self.longestLimit, patience))
    let isPunctual = passed <= Self.interval + StallWatch.lateness
    watch.waited(isPunctual ? min(passed, Self.interval) : passed, atMost: Self.interval)
    let verdict = watch.verdict
    guard verdict == .late else { return verdict }
    defer { isSuspected = true }
    return isSuspected ? .fine : .late
  }

  /// Makes a monitored call; throws `deviceLost` if the thread is abandoned before or during it.
  private func call<Value>(
    _ call: PCMCall, _ body: () throws(SoundCardError) -> Value
  ) throws(SoundCardError) -> Value {
    guard heartbeat.begin(call) else { throw .deviceLost(configuration.device) }
    let result = Result { () throws(SoundCardError) in try body() }
    guard heartbeat.end() else { throw .deviceLost(configuration.device) }
    return try result.get()
  }

  /// Closes the device at the end of its thread.
  ///
  /// A loss is reported before the device is closed, because closing may hang, too. An abandoned
  /// thread reports nothing.
  package func close(
    after outcome: Result<Void, SoundCardError>, _ report: (Result<Void, SoundCardError>) -> Void
  ) {
    switch outcome {
    case .success:
      close()
      report(outcome)
    case .failure:
      if heartbeat.abandon() { report(outcome) }
      close()
    }
  }
}

extension MonitoredDevice: PlaybackPCM where Device == any PlaybackPCM {
  /// Monitors a playback device.
  package convenience init(_ device: any PlaybackPCM) {
    self.init(device, watching: device)
  }

  package var timeUntilUnderrun: Duration {
    get throws(SoundCardError) {
      try call(.delay) { () throws(SoundCardError) in try device.timeUntilUnderrun }
    }
  }

  package func delay() throws(SoundCardError) -> FrameCount {
    try call(.delay) { () throws(SoundCardError) in try device.delay() }
  }

  /// Writes at most one period.
  package func write(
    _ samples: UnsafeBufferPointer<Float>
  ) throws(SoundCardError) -> PCMTransfer {
    let count = min(samples.count, block.count)
    if let first = samples.baseAddress { block.baseAddress?.update(from: first, count: count) }
    return try call(.transfer) { () throws(SoundCardError) in
      try device.write(UnsafeBufferPointer(rebasing: block[..<count]))
    }
  }
}

extension MonitoredDevice: CapturePCM where Device == any CapturePCM {
  /// Monitors a capture device.
  package convenience init(_ device: any CapturePCM) {
    self.init(device, watching: device)
  }

  /// Reads at most one period.
  package func read(
    into samples: UnsafeMutableBufferPointer<Float>
  ) throws(SoundCardError) -> PCMTransfer {
    let wanted = UnsafeMutableBufferPointer(rebasing: block[..<min(samples.count, block.count)])
    let read = try call(.transfer) { () throws(SoundCardError) in try device.read(into: wanted) }
    if case .frames(let count) = read {
      let sampleCount = count.rawValue * configuration.format.channelCount
      _ = samples.update(fromContentsOf: wanted[..<sampleCount])
    }
    return read
  }
}

extension PCMConfiguration {
  /// Allocates memory for one period, which only one thread at a time may use; the caller frees it.
  package func makeBlock() -> UnsafeMutableBufferPointer<Float> {
    let block = UnsafeMutableBufferPointer<Float>.allocate(
      capacity: period.rawValue * format.channelCount)
    block.initialize(repeating: 0)
    return block
  }
}
