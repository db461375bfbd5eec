import AudioCore
import AudioThreads
import SoundCard

/// The audio thread of a capture: it moves captured frames into the ring and counts lost ones
/// beside it.
///
/// After `run` begins it neither allocates nor takes a lock. It never drops audio: while the ring
/// is full, frames stay in the device, whose overrun is then an event like any other.
final class CaptureThread {
  private let pcm: any CapturePCM
  private let link: CaptureLink
  private let block: UnsafeMutableBufferPointer<Float>
  private let channels: Int
  private let rate: SampleRate
  private let longestWait: Duration
  private let periodLength: Duration
  private var stall: StallWatch
  private var lost: FrameCount = 0
  /// When the frame after the last one read was captured, if none were lost since.
  private var next = Duration.zero

  init(pcm: any CapturePCM, link: CaptureLink) {
    self.pcm = pcm
    self.link = link
    let configuration = pcm.configuration
    channels = configuration.format.channelCount
    rate = configuration.format.sampleRate
    longestWait = configuration.buffer.duration(at: rate) * 2
    periodLength = configuration.period.duration(at: rate)
    stall = StallWatch(
      lateAfter: longestWait, longestWait: longestWait, patience: configuration.patience)
    // Used by this thread alone; the pointer never leaves a call.
    block = .allocate(capacity: configuration.period.rawValue * channels)
    block.initialize(repeating: 0)
  }

  deinit {
    block.deallocate()
  }

  /// Captures until it is stopped or the device ends; throws if the device is lost.
  func run() throws(SoundCardError) {
    defer { reportLoss() }
    try pcm.start()
    while !link.isStopping {
      guard hasRoom else {
        try waitForRoom()
        continue
      }
      switch try watchedWait(for: .period, atMost: stall.nextWait(atMost: longestWait)) {
      case .ready(let available):
        next = max(.zero, pcm.elapsed - available.duration(at: rate))
        let count = try fetch()
        if count > 0 {
          try rest(holding: available - count)
        } else if stall.refused() {
          _ = try watchedWait(for: .nothing, atMost: periodLength / 4)
        }
      case .ended: return
      case .interrupted, .woken, .timedOut: break
      }
      try considerStall()
    }
    try fetchRest()
  }

  /// Waits for the device and keeps account of stalls and losses.
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
    stall.interrupted()
  }

  /// While the consumer takes large blocks, leaves the device alone until half of its buffer is
  /// full.
  private func rest(holding held: FrameCount) throws(SoundCardError) {
    let configuration = pcm.configuration
    let missing = FrameCount(configuration.buffer.rawValue / 2) - held
    guard held < configuration.period, missing > configuration.period,
      link.defersWakeUp(for: missing.rawValue * channels)
    else { return }
    let wakeUp = try pcm.wait(for: .nothing, atMost: missing.duration(at: rate))
    if case .interrupted(let interruption) = wakeUp { note(interruption) }
  }

  /// Gives up a device that delivers nothing: its recording would be shorter than the time it took.
  private func considerStall() throws(SoundCardError) {
    guard stall.verdict == .stalled else { return }
    throw .stalled(pcm.configuration.device, .capture)
  }

  /// Frames captured before the stop belong to the recording; they are at most a full buffer, also
  /// of a device that always has more.
  private func fetchRest() throws(SoundCardError) {
    let stopped = pcm.elapsed
    var left = pcm.configuration.buffer
    while left > 0, hasRoom {
      let count = try fetch()
      // A device that keeps running has a frame or two more at every read.
      guard count > 0, next < stopped || count.duration(at: rate) > .milliseconds(1) else { return }
      left -= count
    }
  }

  /// Reports frames lost at the very end, which no block follows.
  private func reportLoss() {
    if lost > 0 { pass(0) }
  }

  /// Waits until the consumer makes room; the device is not expected to deliver meanwhile.
  private func waitForRoom() throws(SoundCardError) {
    link.roomRequest.make()
    // The consumer may have made room before it could see the request.
    guard !hasRoom else { return }
    if case .interrupted(let interruption) = try pcm.wait(for: .nothing, atMost: longestWait) {
      lost += interruption.lost
    }
    stall.reset()
  }

  private var hasRoom: Bool {
    // One block stays free for a loss at the end.
    link.samples.writable >= block.count && link.blocks.writable > 1
  }

  /// Moves at most a block; 0 if the device had nothing or was interrupted.
  @discardableResult
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
    let samples = UnsafeBufferPointer(rebasing: block[..<(count.rawValue * channels)])
    link.samples.tryWrite(samples)
    link.blocks.tryWrite(
      CaptureBlock(
        sampleCount: samples.count, lostFrames: lost.rawValue, nanoseconds: next.inNanoseconds))
    next += count.duration(at: rate)
    lost = 0
    link.announce()
  }
}
