package import AudioCore
package import AudioThreads

/// A device whose every call can be seen to hang.
///
/// Once its thread has been abandoned, every call throws `deviceLost`, also the one that it was
/// abandoned in; only `close` still does what it should.
// `@unchecked Sendable` is right because `configuration` is constant, the monitor is made for
// several threads, and everything else belongs to the device's thread, as `PCM` demands.
package class MonitoredDevice: PCM, @unchecked Sendable {
  /// Who sees it.
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

  /// The device's thread is done with it, and closes it.
  ///
  /// A loss is reported before that, which may hang as well, and nobody waits for it; of a thread
  /// that was abandoned nothing is reported.
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

/// A device that captures, and whose every call can be seen to hang.
package final class MonitoredCapture: MonitoredDevice, CapturePCM, @unchecked Sendable {
  private let pcm: any CapturePCM

  /// Watches over `pcm`.
  package init(_ pcm: any CapturePCM) {
    self.pcm = pcm
    super.init(watching: pcm)
  }

  package func read(
    into samples: UnsafeMutableBufferPointer<Float>
  ) throws(SoundCardError) -> PCMTransfer {
    try monitor.call(.read) { () throws(SoundCardError) in try pcm.read(into: samples) }
  }
}

/// A device that plays, and whose every call can be seen to hang.
package final class MonitoredPlayback: MonitoredDevice, PlaybackPCM, @unchecked Sendable {
  private let pcm: any PlaybackPCM
  /// What is being written: a call that does not return holds on to no memory of others.
  private let block: UnsafeMutableBufferPointer<Float>

  /// Watches over `pcm`.
  package init(_ pcm: any PlaybackPCM) {
    self.pcm = pcm
    let configuration = pcm.configuration
    // Used by the device's thread alone; the pointer never leaves a call.
    block = .allocate(
      capacity: configuration.period.rawValue * configuration.format.channelCount)
    block.initialize(repeating: 0)
    super.init(watching: pcm)
  }

  deinit {
    block.deallocate()
  }

  package var timeUntilDry: Duration {
    get throws(SoundCardError) {
      try monitor.call(.delay) { () throws(SoundCardError) in try pcm.timeUntilDry }
    }
  }

  package func delay() throws(SoundCardError) -> FrameCount {
    try monitor.call(.delay) { () throws(SoundCardError) in try pcm.delay() }
  }

  /// Hands over a period at most.
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
