package import AudioCore
package import AudioThreads

/// A device that plays, and whose every call can be seen to hang.
///
/// Once its thread has been abandoned, every call throws `deviceLost`.
package final class MonitoredPlayback: PlaybackPCM {
  /// Who sees it.
  package let monitor: DeviceMonitor
  private let pcm: any PlaybackPCM

  /// Watches over `pcm`.
  package init(_ pcm: any PlaybackPCM) {
    self.pcm = pcm
    monitor = DeviceMonitor(pcm)
  }

  package var configuration: PCMConfiguration { pcm.configuration }
  package var waker: WakeUp { pcm.waker }
  package var elapsed: Duration { pcm.elapsed }
  package var timeUntilDry: Duration { monitor.call(.delay) { pcm.timeUntilDry } }

  package func wait(
    for interest: PCMInterest, atMost timeout: Duration?
  ) throws(SoundCardError) -> PCMWakeUp {
    try monitor.check()
    return try monitor.call(.wait) { () throws(SoundCardError) in
      try pcm.wait(for: interest, atMost: timeout)
    }
  }

  package func start() throws(SoundCardError) {
    try monitor.check()
    try monitor.call(.start) { () throws(SoundCardError) in try pcm.start() }
  }

  package func delay() throws(SoundCardError) -> FrameCount {
    try monitor.check()
    return try monitor.call(.delay) { () throws(SoundCardError) in try pcm.delay() }
  }

  package func write(
    _ samples: UnsafeBufferPointer<Float>
  ) throws(SoundCardError) -> PCMTransfer {
    try monitor.check()
    return try monitor.call(.write) { () throws(SoundCardError) in try pcm.write(samples) }
  }

  package func drop() { monitor.call(.drop) { pcm.drop() } }
  package func close() { monitor.call(.close) { pcm.close() } }
}
