import AudioCore
import AudioThreads
import SoundCard
import Synchronization

/// A block of samples that the audio thread has put into the ring.
struct CaptureBlock: BitwiseCopyable {
  /// The block's samples in the ring; 0 for frames that were lost at the very end.
  var sampleCount: Int
  /// The frames that were lost right before the block.
  var lostFrames: Int
  /// When the first frame was captured, in nanoseconds of the device's time.
  var nanoseconds: Int64
}

/// The connection from the audio thread to the consumer's thread; neither waits for the other.
final class CaptureLink: Sendable {
  /// The length of the ring: how long a disk or the reader of a pipe may block before frames are lost.
  ///
  /// The ring occupies only as much memory as was ever used.
  static let depth = Duration.seconds(32)

  let samples: RingBuffer<Float>
  let blocks = RingBuffer<CaptureBlock>(capacity: 8_192, resident: 256)
  let consumerWakeUp: WakeUp
  /// Holds the time of a virtual card from a wake-up of the consumer until it has nothing to do.
  let hold: TimeHold?
  /// What the audio thread waits for while the ring is full.
  let roomRequest = WakeUpRequest()
  /// How many samples may wait in the ring before the consumer is woken for them.
  ///
  /// The consumer changes it and then looks at the ring (`isDue`); the audio thread writes into the
  /// ring and then looks at it (`announce`). At least one must see what the other did, or samples
  /// wait for a consumer that sleeps. The ring publishes with release order, which a later load may
  /// overtake, so both sides put a fence between their write and their look.
  private let wakeThreshold = Atomic<Int>(0)
  private let stopping = Atomic<Bool>(false)
  // Written once by the audio thread at its end, when timing no longer matters. The lock also
  // orders `endNanoseconds`, and every block, before an outcome that the consumer sees.
  private let outcome = Mutex<Result<Void, SoundCardError>?>(nil)
  private let endNanoseconds = Atomic<Int64>(0)

  init(device: PCMConfiguration, lockstep: Lockstep? = nil) throws(WakeUpError) {
    consumerWakeUp = try WakeUp()
    hold = TimeHold(lockstep, "a consumer of a capture")
    hold?.begin()
    let depth = FrameCount(Self.depth, at: device.format.sampleRate).rawValue
    // Some plug-ins have periods of many seconds, and a period has to find room.
    let frames = max(depth, 4 * device.period.rawValue)
    samples = RingBuffer(
      capacity: frames * device.format.channelCount,
      resident: device.format.sampleRate.hertz * device.format.channelCount)
  }

  /// Lets the consumer sleep until this many samples wait, or the capture ends; the consumer checks
  /// `isDue` before it sleeps.
  func wake(for samples: Int) {
    wakeThreshold.store(samples, ordering: .relaxed)
    atomicMemoryFence(ordering: .sequentiallyConsistent)
  }

  /// Whether the consumer need not be woken for this many samples; for the audio thread.
  ///
  /// It decides only how long the device is left alone, so the value may be a moment old.
  func defersWakeUp(for samples: Int) -> Bool {
    wakeThreshold.load(ordering: .relaxed) >= samples
  }

  /// Wakes the consumer if enough samples wait; for the audio thread, after it has written them.
  func announce() {
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    let waiting = samples.capacity - samples.writable
    if waiting >= wakeThreshold.load(ordering: .relaxed) { wakeConsumer() }
  }

  /// Wakes the consumer's thread; for any thread.
  func wakeConsumer() {
    hold?.begin()
    consumerWakeUp.signal()
  }

  /// Whether there are samples for which the consumer is no longer woken.
  var isDue: Bool {
    let waiting = samples.readable
    return waiting > 0 && waiting >= wakeThreshold.load(ordering: .relaxed)
  }

  /// Whether the audio thread is to end.
  ///
  /// Whoever stops it stores this before the device's waker is signaled: a thread that the signal
  /// wakes, now or at its next wait, sees it.
  var isStopping: Bool { stopping.load(ordering: .acquiring) }

  func stop() {
    stopping.store(true, ordering: .releasing)
  }

  /// How the audio thread ended, nil while it runs.
  var ending: Result<Void, SoundCardError>? { outcome.withLock { $0 } }

  /// The device's time when the audio thread ended; valid once `ending` is not nil.
  var endedAt: Duration { .nanoseconds(endNanoseconds.load(ordering: .relaxed)) }

  func end(_ result: Result<Void, SoundCardError>, at time: Duration = .zero) {
    endNanoseconds.store(time.inNanoseconds, ordering: .relaxed)
    outcome.withLock { $0 = result }
    wakeConsumer()
  }
}

/// Reads blocks from the link and numbers their frames.
struct BlockReader {
  private let format: AudioFormat
  private var nextFrame: FrameCount = 0
  /// The number of the next block to read.
  private(set) var nextNumber = 0
  /// A block that was read ahead and comes next: it follows a loss, so that nothing joins it.
  private var upcoming: CaptureBlock?
  /// The device's time at the end of the last block.
  private(set) var nextTime = Duration.zero

  init(format: AudioFormat) {
    self.format = format
  }

  /// The next block, joined with those that follow it without a loss, up to `limit` samples.
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
