import AudioCore
import AudioThreads
import SoundCard
import Synchronization

/// A virtual device that plays.
final class VirtualPlayback: PlaybackPCM {
  private let device: VirtualDevice
  private let keeps: Bool
  // Held while samples are appended, by the engine's thread and by a test that looks at them.
  private let kept = Mutex<[Float]>([])

  init(_ device: VirtualDevice, keeps: Bool) {
    self.device = device
    self.keeps = keeps
    device.open(.playback)
  }

  deinit {
    device.close()
  }

  var configuration: PCMConfiguration { device.configuration }
  var waker: WakeUp { device.waker }
  var elapsed: Duration { device.elapsed }

  var timeUntilDry: Duration {
    switch device.pace {
    case .clock: device.with { $0.level }.duration(at: configuration.format.sampleRate)
    // The card waits for the engine, however long that takes.
    case .lockstep, .untimed: .seconds(3_600)
    }
  }

  func delay() throws(SoundCardError) -> FrameCount {
    try device.withOpen { $0.level }
  }

  /// What has been written and not dropped.
  var played: AudioBuffer {
    AudioBuffer(format: configuration.format, samples: kept.withLock { $0 })
  }

  func wait(
    for interest: PCMInterest, atMost timeout: Duration?
  ) throws(SoundCardError) -> PCMWakeUp {
    try device.wait(for: interest, atMost: timeout)
  }

  func start() throws(SoundCardError) {
    try device.withOpen { transfer in
      transfer.start()
      if device.isUntimed { transfer.tick(transfer.level) }
    }
  }

  func write(_ samples: UnsafeBufferPointer<Float>) throws(SoundCardError) -> PCMTransfer {
    let channels = configuration.format.channelCount
    let offered = FrameCount(samples.count / channels)
    let taken = try device.withOpen { transfer in
      let taken = transfer.write(offered)
      if device.isUntimed { transfer.tick(taken) }
      return taken
    }
    if keeps { keep(UnsafeBufferPointer(rebasing: samples[..<(taken.rawValue * channels)])) }
    return .frames(taken)
  }

  func drop() {
    let dropped = device.with { $0.drop() }
    guard keeps else { return }
    kept.withLock { $0.removeLast(dropped.rawValue * configuration.format.channelCount) }
  }

  func close() {
    device.close()
  }

  private func keep(_ samples: UnsafeBufferPointer<Float>) {
    kept.withLock { $0.append(contentsOf: samples) }
  }
}
