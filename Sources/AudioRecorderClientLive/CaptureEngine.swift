import AudioCore
import AudioThreads
import SoundCard
import Synchronization

/// What takes the audio of a capture, on a thread of its own where it may block.
protocol CaptureConsumer: AnyObject {
  /// What becomes of it where the device is lost.
  var onDeviceLoss: DeviceLossPolicy { get }

  /// Takes a block; false where it wants no more.
  func take(_ captured: DeviceAudio) throws -> Bool

  /// Whether it may come to a standstill for good in `take`.
  var mayStall: Bool { get }

  /// Begins a round: all blocks captured by now come before the next `endRound`.
  func beginRound()

  /// Ends the round; false where it wants no more.
  func endRound() throws -> Bool

  /// How much audio may wait before it is given, in one piece then, to save work.
  var patience: Duration { get }

  /// Completes the work: nothing follows.
  func finish() throws
}

extension CaptureConsumer {
  var onDeviceLoss: DeviceLossPolicy { .fail }

  var mayStall: Bool { false }

  func beginRound() {}

  func endRound() -> Bool { true }

  /// None: each block comes when it is there.
  var patience: Duration { .zero }
}

/// A block in the device's format, or news of the device without a frame.
struct DeviceAudio: Sendable {
  /// What has happened to the device.
  enum News: Sendable {
    case lost
    /// It is back; what was missed is what was lost.
    case returned
  }

  /// The frames; `firstFrame` counts those that were lost.
  var buffer: AudioBuffer
  /// When the first frame was captured, in the device's time.
  var time: Duration
  /// The frames that were lost right before it.
  var lost: FrameCount
  /// How many blocks the card's thread gave before it.
  var number = 0
  /// What it tells of the device, where it holds no frame.
  var news: News?
  /// How many samples of the block were NaN or infinite; they are silence.
  var nonFinite = 0
}

/// One open capture device, its card's thread and the thread of its consumer.
final class CaptureEngine: Sendable {
  let configuration: PCMConfiguration
  private let pcm: MonitoredCapture
  private let link: CaptureLink
  // Written by the consumer's thread, and read by it when the device is lost.
  private let unheard = Mutex(Duration.zero)

  init(pcm: any CapturePCM) throws(WakeUpError) {
    self.pcm = MonitoredCapture(pcm)
    configuration = pcm.configuration
    link = try CaptureLink(device: pcm.configuration)
  }

  /// Captures until `stop`, the consumer's wish, the device's end or an error, then closes the
  /// device.
  ///
  /// It runs on the calling thread, which becomes the consumer's. What was captured before an error
  /// is given to the consumer, and the consumer is finished in any case, before the
  /// error is thrown.
  func run(_ consumer: some CaptureConsumer) throws {
    let outcome = Result { try capture(into: consumer) }
    let finishing = Result { try consumer.finish() }
    try outcome.get()
    try finishing.get()
  }

  /// Where the device was lost: the time that nothing had been heard for when that was noticed.
  var timeUnheard: Duration { unheard.withLock { $0 } }

  /// Returns when there is news, also for nobody; for the consumer's thread while the device is
  /// lost.
  func waitForNudge() {
    link.news.wait()
  }

  /// Whether it was told to end.
  var isStopping: Bool { link.isStopping }

  /// Ends the capture, from any thread; what has been heard by then is still delivered.
  func stop() {
    link.stop()
    pcm.waker.signal()
  }

  /// Has the consumer asked whether it wants more, from any thread.
  func nudge() {
    link.news.signal()
  }

  /// How many blocks the card's thread has given so far; from any thread.
  var blockCount: Int { link.blocks.totalWritten }

  /// Gives the device back, also without having captured anything; again is harmless.
  ///
  /// A device that is lost or hangs is closed by its own thread, when its call returns.
  func close() {
    guard !pcm.monitor.heartbeat.isAbandoned else { return }
    pcm.close()
  }

  private func capture(into consumer: some CaptureConsumer) throws {
    let cardThreadEnded = try startCardThread()
    defer {
      stop()
      wait(for: cardThreadEnded)
    }
    try pass(to: consumer)
  }

  /// Returns when the card's thread has ended or has been abandoned.
  private func wait(for ended: WakeUp) {
    var watch = HeartbeatWatch()
    while !pcm.monitor.heartbeat.isAbandoned, link.ending == nil {
      _ = pcm.monitor.wait(for: ended, &watch)
    }
  }

  /// Starts the card's thread and returns what it signals at its end.
  private func startCardThread() throws -> WakeUp {
    let ended = try WakeUp()
    _ = try DedicatedThread.start(name: "syrinx-capture") { [pcm, link] in
      pcm.adoptThread()
      let outcome = Result { () throws(SoundCardError) in
        try CaptureThread(pcm: pcm, link: link).run()
      }
      let time = pcm.elapsed
      pcm.close(after: outcome) { outcome in
        link.end(outcome, at: time)
        ended.signal()
      }
    }
    return ended
  }

  /// Hands over blocks until there are no more, or the consumer wants no more.
  private func pass(to consumer: some CaptureConsumer) throws {
    var watch = HeartbeatWatch()
    var reader = BlockReader(format: configuration.format)
    var lastBlock = ContinuousClock.now
    while true {
      consumer.beginRound()
      // Looked at before the blocks: what is there after the end is all that there will be.
      let ending = link.ending
      // Blocks captured later belong to the next round: a consumer slower than the device would
      // never reach the end of this one.
      let end = link.blocks.totalWritten
      while reader.nextNumber < end,
        let captured = reader.next(from: link, joining: samples(of: consumer.patience))
      {
        if link.roomWish.take() { pcm.waker.signal() }
        lastBlock = .now
        guard try consumer.take(captured) else { return }
      }
      if let ending {
        unheard.withLock { $0 = max(.zero, link.endedAt - reader.nextTime) }
        return try ending.get()
      }
      guard try consumer.endRound() else { return }
      link.wake(for: samples(of: consumer.patience))
      // Some may have come that it was too patient for until now.
      if link.isDue { continue }
      guard let error = pcm.monitor.wait(for: link.news, &watch) else { continue }
      // Who wanted it to end has what they wanted.
      if link.isStopping { return }
      unheard.withLock { $0 = lastBlock.duration(to: .now) }
      throw error
    }
  }
}

extension CaptureEngine {
  private func samples(of duration: Duration) -> Int {
    let format = configuration.format
    return FrameCount(duration, at: format.sampleRate).rawValue * format.channelCount
  }
}

/// Reads blocks out of the link and numbers their frames.
struct BlockReader {
  private let format: AudioFormat
  private var nextFrame: FrameCount = 0
  /// The number of the next block to read.
  private(set) var nextNumber = 0
  /// A block that was taken out of the link and comes next, because a loss lies before it.
  private var upcoming: CaptureBlock?
  /// The device's time at the end of the last block.
  private(set) var nextTime = Duration.zero

  init(format: AudioFormat) {
    self.format = format
  }

  /// The next block, joined with those that follow it without a loss, up to so many samples.
  mutating func next(from link: CaptureLink, joining limit: Int = 0) -> DeviceAudio? {
    guard var block = upcoming.take() ?? link.blocks.tryRead() else { return nil }
    let number = nextNumber
    nextNumber += 1
    while block.sampleCount < limit, let following = link.blocks.tryRead() {
      guard following.lostFrames == 0 else {
        upcoming = following
        break
      }
      block.sampleCount += following.sampleCount
      nextNumber += 1
    }
    return audio(block, number: number, from: link)
  }

  private mutating func audio(
    _ block: CaptureBlock, number: Int, from link: CaptureLink
  ) -> DeviceAudio {
    let samples = [Float](unsafeUninitializedCapacity: block.sampleCount) { target, count in
      count = link.samples.tryRead(
        into: UnsafeMutableBufferPointer(rebasing: target[..<block.sampleCount]))
    }
    let lost = FrameCount(block.lostFrames)
    var buffer = AudioBuffer(format: format, samples: samples, firstFrame: nextFrame + lost)
    let nonFinite = buffer.silenceNonFinite()?.count ?? 0
    nextFrame = buffer.endFrame
    nextTime = .nanoseconds(block.nanoseconds) + buffer.duration
    return DeviceAudio(
      buffer: buffer, time: .nanoseconds(block.nanoseconds), lost: lost, number: number,
      nonFinite: nonFinite)
  }
}
