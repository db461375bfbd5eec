import AudioCore
import AudioThreads
import SoundCard

/// A virtual device that hears.
final class VirtualCapture: CapturePCM {
  private let device: VirtualDevice
  private let fill: VirtualMicrophone.Fill

  init(_ device: VirtualDevice, fill: @escaping VirtualMicrophone.Fill) {
    self.device = device
    self.fill = fill
    device.open()
  }

  deinit {
    device.close()
  }

  var configuration: PCMConfiguration { device.configuration }
  var waker: WakeUp { device.waker }
  var elapsed: Duration { device.elapsed }

  func wait(
    for interest: PCMInterest, atMost timeout: Duration?
  ) throws(SoundCardError) -> PCMWakeUp {
    try device.wait(for: interest, atMost: timeout)
  }

  func start() throws(SoundCardError) {
    try device.enter(.start)
    try device.withOpen { $0.start() }
  }

  func read(into samples: UnsafeMutableBufferPointer<Float>) throws(SoundCardError) -> PCMTransfer {
    try device.enter(.transfer)
    let channels = configuration.format.channelCount
    let room = FrameCount(samples.count / channels)
    if let interruption = try device.withOpen({ $0.takeInterruption() }) {
      return .interrupted(interruption)
    }
    let (count, first) = try device.withOpen { $0.read(room) }
    guard count > 0 else { return .frames(0) }
    let wanted = UnsafeMutableBufferPointer(rebasing: samples[..<(count.rawValue * channels)])
    let heard = fill(wanted, first)
    if heard < count {
      device.with { transfer in
        transfer.hasEnded = true
        _ = transfer.drop()
      }
    }
    return .frames(heard)
  }

  func drop() {
    device.block(in: .drop)
    _ = device.with { $0.drop() }
  }

  func close() {
    device.block(in: .close)
    device.close()
  }
}
