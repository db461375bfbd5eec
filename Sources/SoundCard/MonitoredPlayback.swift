package import AudioCore

/// A device that plays, and whose every call can be seen to hang.
package final class MonitoredPlayback: MonitoredDevice, PlaybackPCM, @unchecked Sendable {
  private var pcm: any PlaybackPCM

  /// Watches over `pcm`.
  package init(_ pcm: any PlaybackPCM) {
    self.pcm = pcm
    super.init(watching: pcm)
  }

  /// The device is back, as `pcm`, in the same format.
  package func replace(by pcm: any PlaybackPCM) {
    self.pcm = pcm
    change(to: pcm)
  }

  package var timeUntilDry: Duration { monitor.call(.delay) { pcm.timeUntilDry } }

  package func delay() throws(SoundCardError) -> FrameCount {
    try call(.delay) { () throws(SoundCardError) in try pcm.delay() }
  }

  package func write(
    _ samples: UnsafeBufferPointer<Float>
  ) throws(SoundCardError) -> PCMTransfer {
    try call(.write) { () throws(SoundCardError) in try pcm.write(samples) }
  }
}
