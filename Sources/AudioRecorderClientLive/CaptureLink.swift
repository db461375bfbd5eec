import AudioCore
import AudioThreads
import SoundCard
import Synchronization

/// What the card's thread says of the samples that it has put into the ring.
struct CaptureBlock: BitwiseCopyable {
  /// Samples of this block in the ring; none where frames were lost at the very end.
  var sampleCount: Int
  /// Frames that were lost right before it.
  var lostFrames: Int
  /// When its first frame was captured, in nanoseconds of the device's time.
  var nanoseconds: Int64
}

/// The way from the card's thread to the consumer's; neither waits for the other on it.
final class CaptureLink: Sendable {
  /// What the ring holds: how long a disk or the reader of a pipe may be busy before the device
  /// itself overruns.
  ///
  /// The ring takes only as much memory as has ever waited in it.
  static let depth = Duration.seconds(32)

  let samples: Ring<Float>
  let blocks = Ring<CaptureBlock>(capacity: 8_192, resident: 256)
  /// Wakes the consumer.
  let news: WakeUp
  /// What the card's thread waits for while the ring is full.
  let roomWish = Wish()
  /// How many samples may wait before the consumer is woken for them.
  private let patience = Atomic<Int>(0)
  private let stopping = Atomic<Bool>(false)
  // Written once by the card's thread at its very end, when time does not matter any more.
  private let outcome = Mutex<Result<Void, SoundCardError>?>(nil)
  private let endNanoseconds = Atomic<Int64>(0)

  init(device: PCMConfiguration) throws(WakeUpError) {
    news = try WakeUp()
    let depth = FrameCount(Self.depth, at: device.format.sampleRate).rawValue
    // Some plug-ins have periods of many seconds, and a period has to find room.
    let frames = max(depth, 4 * device.period.rawValue)
    samples = Ring(
      capacity: frames * device.format.channelCount,
      resident: device.format.sampleRate.hertz * device.format.channelCount)
  }

  /// Lets the consumer sleep until so many samples wait, or something else is to be told.
  func wake(for samples: Int) {
    patience.store(samples, ordering: .sequentiallyConsistent)
  }

  /// Whether the consumer need not be woken for so many samples; for the card's thread.
  func isPatient(for samples: Int) -> Bool {
    patience.load(ordering: .relaxed) >= samples
  }

  /// Wakes the consumer where enough samples wait; for the card's thread.
  func announce() {
    let waiting = samples.capacity - samples.writable
    if waiting >= patience.load(ordering: .sequentiallyConsistent) { news.signal() }
  }

  /// Whether there are samples that the consumer is not woken for any more.
  var isDue: Bool {
    let waiting = samples.readable
    return waiting > 0 && waiting >= patience.load(ordering: .relaxed)
  }

  /// Whether the card's thread is to end.
  var isStopping: Bool { stopping.load(ordering: .acquiring) }

  func stop() {
    stopping.store(true, ordering: .releasing)
  }

  /// How the card's thread ended, nil while it runs.
  var ending: Result<Void, SoundCardError>? { outcome.withLock { $0 } }

  /// The device's time when it ended.
  var endedAt: Duration { .nanoseconds(endNanoseconds.load(ordering: .acquiring)) }

  func end(_ result: Result<Void, SoundCardError>, at time: Duration = .zero) {
    endNanoseconds.store(time.inNanoseconds, ordering: .releasing)
    outcome.withLock { $0 = result }
    news.signal()
  }
}
