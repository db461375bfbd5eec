import AudioCore
import AudioThreads
import SoundCard

/// The audio thread of a capture device: moves captured frames into the ring of each port, and
/// reports lost frames with the next block.
///
/// After `run` begins, it neither allocates nor takes a lock. While no port has room, frames stay
/// in the device until it overruns; the overrun is reported like any other loss.
// `@unchecked Sendable` is safe because this object belongs to one thread at a time: to the thread
// of the open device, or, while the device is lost, to the control thread. `Heartbeat` transfers
// the ownership.
final class CaptureThread: PortServer, @unchecked Sendable {
  static let threadName = "syrinx-capture"
  /// The maximum number of ports of a device.
  static let limit = 4_096

  let link: DeviceLink<CapturePort>
  private let ports: PortTable<CapturePort>
  private var pcm: any CapturePCM
  // Used only by the thread that owns this object.
  private var block: UnsafeMutableBufferPointer<Float>
  private var rate: SampleRate
  private var longestWait: Duration
  private var stall: StallWatch
  private var isRunning = false
  private var lost: FrameCount = 0
  /// The capture time of the next frame to be read, if no frame is lost before it.
  private var next = Duration.zero
  private var lastRead = ContinuousClock.now
  /// Whether the device has delivered no frame since it was last lost.
  private var hasNotDelivered = false
  /// The time without frames before the last loss of the device was noticed.
  private var silenceBeforeLoss = Duration.zero

  init(pcm: any CapturePCM, link: DeviceLink<CapturePort>) {
    (self.pcm, self.link, ports) = (pcm, link, link.ports)
    let configuration = pcm.configuration
    rate = configuration.format.sampleRate
    longestWait = configuration.longestWait
    stall = configuration.stallWatch
    block = configuration.makeBlock()
  }

  deinit {
    block.deallocate()
  }

  /// Captures until `quit` or the device's end; throws if the device is lost.
  func run() throws(SoundCardError) {
    while link.performCommands() {
      guard ports.count > 0 else {
        try waitForPort()
        continue
      }
      try startIfNeeded()
      if hasLeavingPort {
        try fetchRest()
        releaseLeavingPorts()
      } else if try serve() == .ended {
        break
      }
    }
    reportLoss()
  }

  // MARK: While the device is lost

  func lose(at time: Duration?) {
    reportLoss()
    if !hasNotDelivered {
      silenceBeforeLoss = time.map { max(.zero, $0 - next) } ?? lastRead.duration(to: .now)
    }
    hasNotDelivered = true
  }

  func serveInSilence() -> Bool {
    defer { releaseLeavingPorts() }
    return link.performCommands()
  }

  func begin(on device: MonitoredCapture, after gap: Duration) {
    let configuration = device.configuration
    pcm = device
    rate = configuration.format.sampleRate
    longestWait = configuration.longestWait
    stall = configuration.stallWatch
    block.deallocate()
    block = configuration.makeBlock()
    (isRunning, next) = (false, .zero)
    for index in 0..<ports.count {
      ports[index].deviceOpened(after: silenceBeforeLoss + gap)
    }
  }

  // MARK: Ports

  private var hasLeavingPort: Bool {
    for index in 0..<ports.count where ports[index].isLeaving { return true }
    return false
  }

  private func releaseLeavingPorts() {
    var index = ports.count
    while index > 0 {
      index -= 1
      guard ports[index].isLeaving, link.events.writable > 0 else { continue }
      ports[index].reportLoss(lost.rawValue, format, time: next)
      link.events.tryWrite(.finished(ports.remove(at: index)))
      link.wakeControl()
    }
  }

  /// Reports the frames that were lost after the last block.
  ///
  /// Frames lost before the first frame of a returned device are part of the device's absence.
  private func reportLoss() {
    if hasNotDelivered { lost = 0 }
    for index in 0..<ports.count { ports[index].reportLoss(lost.rawValue, format, time: next) }
    lost = 0
  }

  // MARK: The device

  /// Stops the device and sleeps until a port is added, because frames captured meanwhile would be
  /// older than the port.
  private func waitForPort() throws(SoundCardError) {
    if isRunning { try pcm.drop() }
    (isRunning, lost) = (false, 0)
    _ = try pcm.wait(for: .nothing, atMost: nil)
  }

  private func startIfNeeded() throws(SoundCardError) {
    if !isRunning { try pcm.start() }
    isRunning = true
  }

  /// Waits for frames and passes them on.
  private func serve() throws(SoundCardError) -> PCMWakeUp {
    guard hasRoom else {
      try waitForRoom()
      return .woken
    }
    let wakeUp = try watchedWait(for: .period, atMost: stall.nextWait(atMost: longestWait))
    if case .ready(let available) = wakeUp {
      next = max(.zero, pcm.elapsed - available.duration(at: rate))
      let count = try fetch()
      if count > 0 {
        try waitForHalfBuffer(holding: available - count)
      } else if stall.refused() {
        _ = try watchedWait(for: .nothing, atMost: periodLength / 4)
      }
    }
    if wakeUp != .ended { try considerStall() }
    return wakeUp
  }

  private var format: AudioFormat { pcm.configuration.format }

  private var periodLength: Duration { pcm.configuration.period.duration(at: rate) }

  /// Waits for the device, and records stalls and losses.
  private func watchedWait(
    for interest: PCMInterest, atMost timeout: Duration
  ) throws(SoundCardError) -> PCMWakeUp {
    let before = pcm.elapsed
    let wakeUp = try pcm.wait(for: interest, atMost: timeout)
    stall.waited(pcm.elapsed - before, atMost: timeout, isCutShort: wakeUp == .woken)
    if case .interrupted(let interruption) = wakeUp { note(interruption) }
    return wakeUp
  }

  private func note(_ interruption: PCMInterruption) {
    lost += interruption.lost
    next += interruption.lost.duration(at: rate)
    stall.interrupted()
  }

  /// Sleeps until half of the device's buffer is full, unless a reader wants to be woken sooner.
  private func waitForHalfBuffer(holding held: FrameCount) throws(SoundCardError) {
    let configuration = pcm.configuration
    let missing = FrameCount(configuration.buffer.rawValue / 2) - held
    guard held < configuration.period, missing > configuration.period,
      defersWakeUp(for: missing.rawValue * configuration.format.channelCount)
    else { return }
    let wakeUp = try pcm.wait(for: .nothing, atMost: missing.duration(at: rate))
    if case .interrupted(let interruption) = wakeUp { note(interruption) }
  }

  private func defersWakeUp(for samples: Int) -> Bool {
    for index in 0..<ports.count where !ports[index].defersWakeUp(for: samples) { return false }
    return true
  }

  /// Throws if the device has stopped delivering frames, so that the recording does not silently
  /// become too short.
  private func considerStall() throws(SoundCardError) {
    guard stall.verdict == .stalled else { return }
    throw .stalled(pcm.configuration.device, .capture)
  }

  /// Reads the frames that were captured before a stop, because they belong to the port.
  ///
  /// It reads at most a full buffer, even if the device always has more frames.
  private func fetchRest() throws(SoundCardError) {
    let stopped = pcm.elapsed
    var left = pcm.configuration.buffer
    while left > 0, hasRoom {
      let count = try fetch()
      // A running device always has a few new frames, so a short read after the stop must end the
      // loop.
      guard count > 0, next < stopped || count.duration(at: rate) > .milliseconds(1) else { return }
      left -= count
    }
  }

  /// Waits until a reader makes room.
  ///
  /// During this wait, a device without new frames does not count as stalled.
  private func waitForRoom() throws(SoundCardError) {
    for index in 0..<ports.count { ports[index].roomRequest.make() }
    // A reader may have made room before it could see the request, so check again.
    guard !hasRoom else { return }
    if case .interrupted(let interruption) = try pcm.wait(for: .nothing, atMost: longestWait) {
      note(interruption)
    }
    stall.reset()
  }

  /// Whether any port has room; a port without room does not delay the others.
  private var hasRoom: Bool {
    for index in 0..<ports.count where ports[index].hasRoom(for: block.count) { return true }
    return false
  }

  /// Moves at most one block of frames to the ports; returns 0 if the device had no frames or was
  /// interrupted.
  private func fetch() throws(SoundCardError) -> FrameCount {
    switch try pcm.read(into: block) {
    case .interrupted(let interruption):
      note(interruption)
      return 0
    case .frames(let count):
      guard count > 0 else { return 0 }
      pass(count)
      stall.progressed()
      return count
    }
  }

  private func pass(_ count: FrameCount) {
    let sampleCount = count.rawValue * format.channelCount
    let samples = UnsafeMutableBufferPointer(rebasing: block[..<sampleCount])
    let nonFinite = silenceNonFinite(samples)
    lastRead = .now
    let hostTime = pcm.hostTime(at: next)
    for index in 0..<ports.count {
      ports[index].write(
        UnsafeBufferPointer(samples), format, lost: lost.rawValue, time: next, hostTime: hostTime,
        nonFinite: nonFinite)
    }
    next += count.duration(at: rate)
    lost = 0
    guard hasNotDelivered, link.events.tryWrite(.returned) else { return }
    hasNotDelivered = false
    link.wakeControl()
  }

  /// Replaces NaN and infinite samples with silence, and returns their number.
  private func silenceNonFinite(_ samples: UnsafeMutableBufferPointer<Float>) -> Int {
    var count = 0
    for index in samples.indices where !samples[index].isFinite {
      samples[index] = 0
      count += 1
    }
    return count
  }
}

extension PCMConfiguration {
  fileprivate var longestWait: Duration { buffer.duration(at: format.sampleRate) * 2 }

  fileprivate var stallWatch: StallWatch {
    StallWatch(lateAfter: longestWait, longestWait: longestWait, patience: patience)
  }
}
