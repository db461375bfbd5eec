public import AudioCore
import AudioThreads
public import SoundCard
import Synchronization

/// A virtual playback device.
final class VirtualPlayback: PlaybackPCM {
  private let device: VirtualDevice
  private let keeps: Bool
  // The lock is held while the audio thread or a test appends or reads samples.
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
    // In these paces, the card waits for the engine without a limit.
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
    defer { retract(device.with { $0.popDiscarded() }) }
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
    retract(device.with { $0.popDiscarded() })
    let channels = configuration.format.channelCount
    let offered = FrameCount(samples.count / channels)
    let outcome = try device.withOpen { transfer -> PCMTransfer in
      if let interruption = transfer.popInterruption() { return .interrupted(interruption) }
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
    retract(device.with { $0.drop() + $0.popDiscarded() })
  }

  func close() {
    device.block(in: .close)
    device.close()
  }

  /// Removes the last frames, because they were not played.
  private func retract(_ frames: FrameCount) {
    guard keeps, frames > 0 else { return }
    kept.withLock { $0.removeLast(frames.rawValue * configuration.format.channelCount) }
  }

  private func keep(_ samples: UnsafeBufferPointer<Float>) {
    guard keeps else { return }
    kept.withLock { $0.append(contentsOf: samples) }
  }
}

/// A virtual capture device.
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

  func adoptThread() { device.leave() }

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
    if let interruption = try device.withOpen({ $0.popInterruption() }) {
      return .interrupted(interruption)
    }
    let (count, first) = try device.withOpen { $0.read(room) }
    guard count > 0 else { return .frames(0) }
    let wanted = UnsafeMutableBufferPointer(rebasing: samples[..<(count.rawValue * channels)])
    let captured = try fill(wanted, first)
    if captured < count {
      device.with { transfer in
        transfer.hasEnded = true
        _ = transfer.drop()
      }
    }
    return .frames(captured)
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

/// The signal of a virtual microphone.
public struct VirtualMicrophone: Sendable {
  /// Fills interleaved samples from the given frame on and returns the number of frames filled.
  ///
  /// Fewer frames than requested end the capture, and an error fails it.
  public typealias Fill =
    @Sendable (_ samples: UnsafeMutableBufferPointer<Float>, _ firstFrame: FrameCount)
    throws(SoundCardError) -> FrameCount

  /// The microphone's format, or nil for any.
  public let format: AudioFormat?

  /// Makes the fill function of one capture; every capture starts at frame 0.
  let makeFill: @Sendable (AudioFormat) throws -> Fill

  /// Creates a microphone; `makeFill` is called at each opening with the negotiated format.
  public init(
    format: AudioFormat? = nil, _ makeFill: @escaping @Sendable (AudioFormat) throws -> Fill
  ) {
    self.format = format
    self.makeFill = makeFill
  }

  /// A microphone that captures an endless signal in any format.
  public static func signal(_ signal: AudioSignal) -> VirtualMicrophone {
    VirtualMicrophone { format in
      { samples, firstFrame in
        let frames = FrameCount(samples.count / format.channelCount)
        _ = samples.update(
          fromContentsOf: signal.buffer(frames, format: format, firstFrame: firstFrame).samples)
        return frames
      }
    }
  }

  /// A microphone that captures a buffer once, in the buffer's format, and then ends.
  public static func buffer(_ buffer: AudioBuffer) -> VirtualMicrophone {
    VirtualMicrophone(format: buffer.format) { format in
      { samples, firstFrame in
        let room = FrameCount(samples.count / format.channelCount)
        let start = min(firstFrame, buffer.frameCount)
        let end = min(start + room, buffer.frameCount)
        let channels = format.channelCount
        _ = samples.update(
          fromContentsOf: buffer.samples[start.rawValue * channels..<end.rawValue * channels])
        return end - start
      }
    }
  }
}
