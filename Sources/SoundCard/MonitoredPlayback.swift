package import AudioCore

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
