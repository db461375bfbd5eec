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
