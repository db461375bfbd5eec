import AudioCore
import AudioThreads
import SoundCard
import Synchronization

/// A virtual playback device.
final class VirtualPlayback: PlaybackPCM {
  private let device: VirtualDevice
  private let keeps: Bool
  // Held while samples are appended or read, by the audio thread and by tests.
  private let kept = Mutex<[Float]>([])

  init(_ device: VirtualDevice, keeps: Bool) {
    self.device = device
    self.keeps = keeps
    device.open()
  }

  deinit {
    device.close()
  }

  var configuration: PCMConfiguration { device.configuration }
  var waker: WakeUp { device.waker }
  var elapsed: Duration { device.elapsed }

  func adoptThread() { device.leave() }

  var timeUntilUnderrun: Duration {
    switch device.pace {
    case .clock: device.with { $0.level }.duration(at: configuration.format.sampleRate)
    // The card waits for the engine for any time.
    case .lockstep, .untimed: .seconds(3_600)
    }
  }

  func delay() throws(SoundCardError) -> FrameCount {
    try device.enter(.delay)
    return try device.withOpen { $0.delay() }
  }

  /// The samples written and not dropped.
  var played: AudioBuffer {
    AudioBuffer(format: configuration.format, samples: kept.withLock { $0 })
  }

  func wait(
    for interest: PCMInterest, atMost timeout: Duration?
  ) throws(SoundCardError) -> PCMWakeUp {
    defer { takeBack(device.with { $0.takeDiscarded() }) }
    return try device.wait(for: interest, atMost: timeout)
  }

  func start() throws(SoundCardError) {
    try device.enter(.start)
    try device.withOpen { transfer in
      transfer.start()
      if device.isUntimed { transfer.tick(transfer.level) }
    }
  }

  func write(_ samples: UnsafeBufferPointer<Float>) throws(SoundCardError) -> PCMTransfer {
    try device.enter(.transfer)
    takeBack(device.with { $0.takeDiscarded() })
    let channels = configuration.format.channelCount
    let offered = FrameCount(samples.count / channels)
    let outcome = try device.withOpen { transfer -> PCMTransfer in
      if let interruption = transfer.takeInterruption() { return .interrupted(interruption) }
      let taken = transfer.write(offered)
      if device.isUntimed { transfer.tick(taken) }
      return .frames(taken)
    }
    guard case .frames(let taken) = outcome else { return outcome }
    keep(UnsafeBufferPointer(rebasing: samples[..<(taken.rawValue * channels)]))
    return outcome
  }

  func drop() {
    device.block(in: .drop)
    takeBack(device.with { $0.drop() + $0.takeDiscarded() })
  }

  func close() {
    device.block(in: .close)
    device.close()
  }

  /// Removes the last frames, which are not played.
  private func takeBack(_ frames: FrameCount) {
    guard keeps, frames > 0 else { return }
    kept.withLock { $0.removeLast(frames.rawValue * configuration.format.channelCount) }
  }

  private func keep(_ samples: UnsafeBufferPointer<Float>) {
    guard keeps else { return }
    kept.withLock { $0.append(contentsOf: samples) }
  }
}
