package import AudioCore
package import AudioThreads

/// A device whose calls are monitored for hangs.
///
/// After its thread has been abandoned, every call except `close` throws `deviceLost`, including
/// the current one.
// `@unchecked Sendable` is safe because `configuration` and `waker` are constant, the heartbeat is
// thread-safe, and everything else belongs to the device's thread, as `PCM` requires.
package class MonitoredDevice: PCM, @unchecked Sendable {
  /// The calls of the device's thread.
  package let heartbeat = Heartbeat()
  package let configuration: PCMConfiguration
  package let waker: WakeUp
  private let device: any PCM

  init(watching device: any PCM) {
    self.device = device
    configuration = device.configuration
    waker = device.waker
  }

  package var elapsed: Duration { device.elapsed }

  package func adoptThread() { device.adoptThread() }

  package func wait(
    for interest: PCMInterest, atMost timeout: Duration?
  ) throws(SoundCardError) -> PCMWakeUp {
    try call(.wait) { () throws(SoundCardError) in
      try device.wait(for: interest, atMost: timeout)
    }
  }

  package func start() throws(SoundCardError) {
    try call(.start) { () throws(SoundCardError) in try device.start() }
  }

  package func drop() throws(SoundCardError) {
    try call(.drop) { () throws(SoundCardError) in try device.drop() }
  }

  package func close() {
    let isWatched = heartbeat.begin(.close)
    device.close()
    if isWatched { _ = heartbeat.end() }
  }

  /// Waits for a signal for at most one interval and then checks the device, on another thread.
  ///
  /// Throws if the device hangs: its thread is then abandoned, and the caller owns the thread's work.
  ///
  /// - Parameters:
  ///   - news: what to wait for.
  ///   - watch: the earlier snapshots.
  ///   - isEnding: whether the caller wants to end, and waits no longer than for a card.
  /// - Returns: false on timeout.
  package func monitor(
    until news: WakeUp, _ watch: inout HeartbeatWatch, isEnding: Bool = false
  ) throws(SoundCardError) -> Bool {
    let before = SuspendingClock.now
    let isSignaled = news.wait(atMost: HeartbeatWatch.interval)
    let beat = heartbeat.beat
    let longest = configuration.patience
    let patience = isEnding ? min(longest, PCMConfiguration.cardPatience) : longest
    switch watch.check(beat, after: before.duration(to: .now), patience: patience) {
    case .fine: break
    case .late: waker.signal()
    case .stalled:
      // The call may return right now.
      guard heartbeat.abandon(in: beat) else { break }
      throw .notResponding(configuration.device, operation: beat.call.name)
    }
    return isSignaled
  }

  /// Makes a monitored call; throws `deviceLost` if the thread is abandoned before or during it.
  fileprivate func call<Value>(
    _ call: Heartbeat.Call, _ body: () throws(SoundCardError) -> Value
  ) throws(SoundCardError) -> Value {
    guard heartbeat.begin(call) else { throw .deviceLost(configuration.device) }
    let result = Result { () throws(SoundCardError) in try body() }
    guard heartbeat.end() else { throw .deviceLost(configuration.device) }
    return try result.get()
  }

  /// Closes the device at the end of its thread.
  ///
  /// A loss is reported first, because closing may hang as well. An abandoned thread reports
  /// nothing.
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

/// A capture device whose calls are monitored for hangs.
// `@unchecked Sendable` is safe because `pcm` and `block` are constant and only the device's thread
// uses them; for the rest, see `MonitoredDevice`.
package final class MonitoredCapture: MonitoredDevice, CapturePCM, @unchecked Sendable {
  private let pcm: any CapturePCM
  /// The memory that a call reads into, so that a hanging call does not write to the caller's
  /// memory when it returns.
  private let block: UnsafeMutableBufferPointer<Float>

  /// Monitors `pcm`.
  package init(_ pcm: any CapturePCM) {
    self.pcm = pcm
    block = pcm.configuration.makeBlock()
    super.init(watching: pcm)
  }

  deinit {
    block.deallocate()
  }

  /// Reads at most one period.
  package func read(
    into samples: UnsafeMutableBufferPointer<Float>
  ) throws(SoundCardError) -> PCMTransfer {
    let wanted = UnsafeMutableBufferPointer(rebasing: block[..<min(samples.count, block.count)])
    let read = try call(.read) { () throws(SoundCardError) in try pcm.read(into: wanted) }
    if case .frames(let count) = read {
      let sampleCount = count.rawValue * configuration.format.channelCount
      _ = samples.update(fromContentsOf: wanted[..<sampleCount])
    }
    return read
  }
}

/// A playback device whose calls are monitored for hangs.
// `@unchecked Sendable` is safe because `pcm` and `block` are constant and only the device's thread
// uses them; for the rest, see `MonitoredDevice`.
package final class MonitoredPlayback: MonitoredDevice, PlaybackPCM, @unchecked Sendable {
  private let pcm: any PlaybackPCM
  /// A copy of the written samples, so that a hanging call does not refer to the caller's memory.
  private let block: UnsafeMutableBufferPointer<Float>

  /// Monitors `pcm`.
  package init(_ pcm: any PlaybackPCM) {
    self.pcm = pcm
    block = pcm.configuration.makeBlock()
    super.init(watching: pcm)
  }

  deinit {
    block.deallocate()
  }

  package var timeUntilUnderrun: Duration {
    get throws(SoundCardError) {
      try call(.delay) { () throws(SoundCardError) in try pcm.timeUntilUnderrun }
    }
  }

  package func delay() throws(SoundCardError) -> FrameCount {
    try call(.delay) { () throws(SoundCardError) in try pcm.delay() }
  }

  /// Writes at most one period.
  package func write(
    _ samples: UnsafeBufferPointer<Float>
  ) throws(SoundCardError) -> PCMTransfer {
    let count = min(samples.count, block.count)
    if let first = samples.baseAddress { block.baseAddress?.update(from: first, count: count) }
    return try call(.write) { () throws(SoundCardError) in
      try pcm.write(UnsafeBufferPointer(rebasing: block[..<count]))
    }
  }
}

extension PCMConfiguration {
  /// Memory for a period, for one thread at a time; the pointer never leaves a call.
  package func makeBlock() -> UnsafeMutableBufferPointer<Float> {
    let block = UnsafeMutableBufferPointer<Float>.allocate(
      capacity: period.rawValue * format.channelCount)
    block.initialize(repeating: 0)
    return block
  }
}
