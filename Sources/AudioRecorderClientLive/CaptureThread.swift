import AudioCore
import AudioThreads
import SoundCard

/// The card's thread of a capture: it moves what the device hears into the ring, and what was lost
/// beside it.
///
/// From `run` on it neither allocates nor takes a lock. It never throws audio away: where the ring
/// is full it leaves the frames to the device, whose overrun is then an event like any other.
final class CaptureThread {
  private let pcm: any CapturePCM
  private let link: CaptureLink
  private let block: UnsafeMutableBufferPointer<Float>
  private let channels: Int
  private let rate: SampleRate
  private let longestWait: Duration
  private var lost: FrameCount = 0

  init(pcm: any CapturePCM, link: CaptureLink) {
    self.pcm = pcm
    self.link = link
    let configuration = pcm.configuration
    channels = configuration.format.channelCount
    rate = configuration.format.sampleRate
    longestWait = configuration.buffer.duration(at: rate) * 2
    // Used by this thread alone; the pointer never leaves a call.
    block = .allocate(capacity: configuration.period.rawValue * channels)
    block.initialize(repeating: 0)
  }

  deinit {
    block.deallocate()
  }

  /// Captures until it is stopped or the device ends; throws where the device is lost.
  func run() throws(SoundCardError) {
    try pcm.start()
    while !link.isStopping {
      switch try wait() {
      case .ready: try fetch()
      case .interrupted(let interruption): lost += interruption.lost
      case .ended: return
      case .woken, .timedOut: break
      }
    }
    // What the device has heard up to the stop belongs to the recording.
    while hasRoom, try fetch() {}
  }

  /// Waits for the device, or where the ring is full, for the consumer.
  private func wait() throws(SoundCardError) -> PCMWakeUp {
    if hasRoom { return try pcm.wait(for: .period, atMost: longestWait) }
    link.roomWish.make()
    // The consumer may have made room before it could see the wish.
    if hasRoom { return .woken }
    return try pcm.wait(for: .nothing, atMost: longestWait)
  }

  private var hasRoom: Bool {
    link.samples.writable >= block.count && link.blocks.writable > 0
  }

  /// Moves at most a block; false where the device had nothing.
  @discardableResult
  private func fetch() throws(SoundCardError) -> Bool {
    switch try pcm.read(into: block) {
    case .interrupted(let interruption):
      lost += interruption.lost
      return true
    case .frames(0):
      return false
    case .frames(let count):
      pass(count)
      return true
    }
  }

  private func pass(_ count: FrameCount) {
    let samples = UnsafeBufferPointer(rebasing: block[..<(count.rawValue * channels)])
    let began = max(.zero, pcm.elapsed - count.duration(at: rate))
    link.samples.tryWrite(samples)
    link.blocks.tryWrite(
      CaptureBlock(
        sampleCount: samples.count, lostFrames: lost.rawValue, nanoseconds: began.inNanoseconds))
    lost = 0
    link.news.signal()
  }
}

extension Duration {
  /// The duration in whole nanoseconds.
  var inNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
