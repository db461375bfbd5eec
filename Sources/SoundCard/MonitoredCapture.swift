package import AudioCore
package import AudioThreads

/// A device that captures, and whose every call can be seen to hang.
///
/// Once its thread has been abandoned, every call throws `deviceLost`.
package final class MonitoredCapture: CapturePCM {
  /// Who sees it.
  package let monitor: DeviceMonitor
  private let pcm: any CapturePCM

  /// Watches over `pcm`.
  package init(_ pcm: any CapturePCM) {
    self.pcm = pcm
    monitor = DeviceMonitor(pcm)
  }

  package var configuration: PCMConfiguration { pcm.configuration }
  package var waker: WakeUp { pcm.waker }
  package var elapsed: Duration { pcm.elapsed }

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

  package func read(
    into samples: UnsafeMutableBufferPointer<Float>
  ) throws(SoundCardError) -> PCMTransfer {
    try monitor.check()
    return try monitor.call(.read) { () throws(SoundCardError) in try pcm.read(into: samples) }
  }

  package func drop() { monitor.call(.drop) { pcm.drop() } }
  package func close() { monitor.call(.close) { pcm.close() } }
}
