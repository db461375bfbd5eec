package import AudioCore
package import AudioThreads

/// A device whose calls are monitored for hangs.
///
/// After its thread has been abandoned, every call except `close` throws `deviceLost`, including
/// the current one.
// `@unchecked Sendable` is safe because `configuration` is constant, the monitor is thread-safe,
// and everything else belongs to the device's thread, as `PCM` requires.
package class MonitoredDevice: PCM, @unchecked Sendable {
  /// The monitor of the device.
  package let monitor: DeviceMonitor
  package let configuration: PCMConfiguration
  private let device: any PCM

  init(watching device: any PCM) {
    self.device = device
    configuration = device.configuration
    monitor = DeviceMonitor(device)
  }

  package var waker: WakeUp { monitor.waker }
  package var elapsed: Duration { device.elapsed }

  package func adoptThread() { device.adoptThread() }

  package func wait(
    for interest: PCMInterest, atMost timeout: Duration?
  ) throws(SoundCardError) -> PCMWakeUp {
    try monitor.call(.wait) { () throws(SoundCardError) in
      try device.wait(for: interest, atMost: timeout)
    }
  }

  package func start() throws(SoundCardError) {
    try monitor.call(.start) { () throws(SoundCardError) in try device.start() }
  }

  package func drop() throws(SoundCardError) {
    try monitor.call(.drop) { () throws(SoundCardError) in try device.drop() }
  }

  package func close() {
    let isWatched = monitor.heartbeat.begin(.close)
    device.close()
    if isWatched { _ = monitor.heartbeat.end() }
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
      if monitor.heartbeat.abandon() { report(outcome) }
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
    let read = try monitor.call(.read) { () throws(SoundCardError) in try pcm.read(into: wanted) }
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
      try monitor.call(.delay) { () throws(SoundCardError) in try pcm.timeUntilUnderrun }
    }
  }

  package func delay() throws(SoundCardError) -> FrameCount {
    try monitor.call(.delay) { () throws(SoundCardError) in try pcm.delay() }
  }

  /// Writes at most one period.
  package func write(
    _ samples: UnsafeBufferPointer<Float>
  ) throws(SoundCardError) -> PCMTransfer {
    let count = min(samples.count, block.count)
    if let first = samples.baseAddress { block.baseAddress?.update(from: first, count: count) }
    return try monitor.call(.write) { () throws(SoundCardError) in
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
