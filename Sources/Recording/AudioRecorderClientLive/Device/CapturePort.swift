import AudioCore
import AudioThreads
import SoundCard
import Synchronization

/// One user of a capture device: a ring that the audio thread writes, and that the port's reader
/// drains.
///
/// The control thread calls the reader. If the consumer never blocks, the reader reads the ring
/// itself; otherwise it wakes a task that reads it. Neither side waits for the other, so a slow
/// disk does not delay other users. Frames that do not fit into the ring are lost only for this port,
/// and the next block reports them.
final class CapturePort: DevicePort {
  /// An element in the ring of blocks: captured frames, or a change of the device.
  struct Block: BitwiseCopyable {
    enum Kind: BitwiseCopyable {
      case frames
      case deviceLost
      /// The device is open again.
      case deviceReturned
    }

    var kind = Kind.frames
    /// The rate and the channels of the samples, which may change when a device returns.
    var hertz = 0
    var channelCount = 1
    /// The number of the block's samples in the ring; 0 if the block only reports lost frames.
    var sampleCount = 0
    /// The number of frames lost immediately before the block.
    var lostFrames = 0
    /// The device's time at which the first frame was captured.
    ///
    /// For `deviceReturned`, this is the time from the loss until the device was open again.
    var nanoseconds: Int64 = 0
    /// The host's time at which the first frame was captured, counted from the port's `beginning`.
    var hostNanoseconds: Int64 = 0
    /// The number of samples that were NaN or infinite, and were replaced with silence.
    var nonFinite = 0
  }

  /// The length of the ring: the time for which a disk or the reader of a pipe may block before
  /// frames are lost.
  ///
  /// The ring occupies only the memory that its largest backlog needed.
  static let depth = Duration.seconds(32)
  /// The number of blocks kept free to report a loss at the end or a change of the device.
  private static let spareBlocks = 16

  /// The host's time from which the blocks' host times are counted.
  let beginning = ContinuousClock.now
  let onDeviceLoss: DeviceLossPolicy
  /// The device's format when the device was first opened; after a loss, the format may differ.
  let format: AudioFormat
  let samples: RingBuffer<Float>
  let blocks = RingBuffer<Block>(capacity: 8_192, resident: 256)
  /// The device whose control thread calls the reader; nil for a port without one.
  private let link: DeviceLink<CapturePort>?
  private let readerRequest = WakeUpRequest()
  // The lock is held only to get or set the closure, never while the closure runs, and never by the
  // audio thread.
  private let reader = Mutex(Reader())

  // The closure is in a struct, because each `withLock` of a `Mutex` of a closure would wrap the
  // closure once more.
  private struct Reader {
    var read: (@Sendable () -> Void)?
  }
  /// The audio thread's request for room while the ring is full.
  let roomRequest = WakeUpRequest()
  /// The number of samples in the ring at which the audio thread wakes the reader.
  ///
  /// The reader changes it and then checks the ring (`isDue`); the audio thread writes into the
  /// ring and then checks the threshold (`announce`). At least one of them must see the other's
  /// change, or samples wait for a sleeping reader. The ring publishes with release order, so a
  /// later load may be reordered before the write, and both sides put a fence between their write
  /// and their check.
  private let wakeThreshold = Atomic<Int>(0)
  private let stopping = Atomic<Bool>(false)
  /// The number of frames that did not fit into the ring since its last block; only the audio
  /// thread uses it.
  private let missing = Atomic<Int>(0)
  private let over = Atomic<Bool>(false)
  /// Opens when the port has ended; its ring may still contain frames.
  private let ended: Gate
  // Written once, by the control thread. The lock also ensures that a reader that sees the result
  // sees every block.
  private let outcome = Mutex<Result<Void, any Error>?>(nil)

  /// Creates a port.
  ///
  /// `ended` opens when the port has ended; its ring may still contain frames. `link` belongs to the
  /// device; it is nil for a port without a reader.
  init(
    of device: PCMConfiguration, onDeviceLoss: DeviceLossPolicy = .fail, ended: Gate = Gate(),
    link: DeviceLink<CapturePort>? = nil
  ) {
    (self.onDeviceLoss, self.ended, self.link) = (onDeviceLoss, ended, link)
    format = device.format
    let depth = FrameCount(Self.depth, at: format.sampleRate).rawValue
    // A period must fit into the ring, and some plug-ins have periods of many seconds.
    let frames = max(depth, 4 * device.period.rawValue)
    samples = RingBuffer(
      capacity: frames * format.channelCount,
      resident: format.sampleRate.hertz * format.channelCount)
  }

  // MARK: Any thread

  /// Whether the user has stopped the port; the user then wakes the audio thread.
  var isStopping: Bool { stopping.load(ordering: .acquiring) }

  /// Stops the port; frames captured by now are still delivered.
  func stop() {
    stopping.store(true, ordering: .releasing)
  }

  /// The result of the port; nil until the port has ended.
  var ending: Result<Void, any Error>? { outcome.withLock { $0 } }

  /// Lets the control thread call the reader, because the audio thread cannot resume a task.
  func wakeReader() {
    readerRequest.make()
    link?.wakeControl()
  }

  /// Sets the reader; the control thread calls it after `wakeReader`, and at the port's end.
  func setReader(_ read: @escaping @Sendable () -> Void) {
    reader.withLock { $0.read = read }
  }

  // MARK: The control thread

  func report(_ event: DeviceEvent) {}

  func reportNews() {
    if readerRequest.consume() { reader.withLock { $0.read }?() }
  }

  func deviceLost() {
    blocks.tryWrite(Block(kind: .deviceLost))
    wakeReader()
  }

  func deviceReturned(after gap: Duration) {}

  /// Records, before the audio thread runs, that the device is open again after `absence` without
  /// capture.
  func deviceOpened(after absence: Duration) {
    blocks.tryWrite(Block(kind: .deviceReturned, nanoseconds: absence.inNanoseconds))
  }

  /// Ends the port; the error is ignored if the port is stopping.
  func conclude(_ error: (any Error)?) {
    let result: Result<Void, any Error> =
      if let error, !isStopping { .failure(error) } else { .success(()) }
    outcome.withLock { $0 = result }
    over.store(true, ordering: .releasing)
    ended.open()
    // The control thread has removed the port and will not report its news, so call the reader here.
    // `take` breaks the reference cycle between port and closure.
    reader.withLock { $0.read.take() }?()
  }

  // MARK: The audio thread

  /// Whether the audio thread should remove the port.
  var isLeaving: Bool { isStopping || over.load(ordering: .acquiring) }

  /// Whether `count` samples fit.
  func hasRoom(for count: Int) -> Bool {
    samples.writable >= count && blocks.writable > Self.spareBlocks
  }

  /// Writes a block, or counts it as lost if it does not fit.
  ///
  /// `lost` is the number of frames lost immediately before the block; `time` and `hostTime` are
  /// the times at which the block's first frame was captured, on the device's clock and on the
  /// host's.
  func write(
    _ block: UnsafeBufferPointer<Float>, _ format: AudioFormat, lost: Int, time: Duration,
    hostTime: ContinuousClock.Instant, nonFinite: Int
  ) {
    guard hasRoom(for: block.count) else {
      missing.wrappingAdd(lost + block.count / format.channelCount, ordering: .relaxed)
      return
    }
    samples.tryWrite(block)
    blocks.tryWrite(
      Block(
        hertz: format.sampleRate.hertz, channelCount: format.channelCount,
        sampleCount: block.count, lostFrames: lost + resetMissing(),
        nanoseconds: time.inNanoseconds, hostNanoseconds: (hostTime - beginning).inNanoseconds,
        nonFinite: nonFinite))
    announce()
  }

  /// Reports the frames that were lost after the last block.
  func reportLoss(_ lost: Int, _ format: AudioFormat, time: Duration) {
    let all = lost + resetMissing()
    guard all > 0 else { return }
    blocks.tryWrite(
      Block(
        hertz: format.sampleRate.hertz, channelCount: format.channelCount, lostFrames: all,
        nanoseconds: time.inNanoseconds))
    wakeReader()
  }

  /// Returns whether the reader's wake-up threshold is at least `samples` samples.
  ///
  /// A slightly outdated threshold is harmless, because the result only determines how long the
  /// audio thread sleeps before it reads from the device again.
  func defersWakeUp(for samples: Int) -> Bool {
    wakeThreshold.load(ordering: .relaxed) >= samples
  }

  private func resetMissing() -> Int { missing.exchange(0, ordering: .relaxed) }

  private func announce() {
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    let waiting = samples.capacity - samples.writable
    if waiting >= wakeThreshold.load(ordering: .relaxed) { wakeReader() }
  }

  // MARK: The reader

  /// Defers wake-ups of the reader until the ring holds `samples` samples, or another event occurs.
  func deferWakeUps(for samples: Int) {
    wakeThreshold.store(samples, ordering: .relaxed)
    atomicMemoryFence(ordering: .sequentiallyConsistent)
  }

  /// Whether the waiting samples have reached the wake-up threshold, so that the reader must not
  /// sleep.
  var isDue: Bool {
    let waiting = samples.readable
    return waiting > 0 && waiting >= wakeThreshold.load(ordering: .relaxed)
  }
}
