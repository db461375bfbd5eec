import AudioCore
import AudioRecorderClient
import AudioThreads
import SoundCard
import Synchronization

/// One user of a capture device: a ring that the audio thread writes, and that the user's thread drains.
///
/// Neither thread waits for the other, so a slow disk delays no other user. What does not fit into the
/// ring is lost for this port alone, and the next block reports it.
final class CapturePort: DevicePort {
  /// What a place in the ring of blocks stands for.
  struct Block: BitwiseCopyable {
    enum Kind: BitwiseCopyable {
      case frames
      case deviceLost
      /// The device is open again.
      case deviceReturned
    }

    var kind = Kind.frames
    /// The rate and the channels of the samples; a device that returns may have others than before.
    var hertz = 0
    var channelCount = 1
    /// The block's samples in the ring; 0 for frames that were lost at the very end.
    var sampleCount = 0
    /// The frames that were lost right before the block.
    var lostFrames = 0
    /// When the first frame was captured, in the device's time; for a returned device, how long it did
    /// not capture before it was open.
    var nanoseconds: Int64 = 0
    /// The number of samples that were NaN or infinite; they are silence.
    var nonFinite = 0
  }

  /// The length of the ring: how long a disk or the reader of a pipe may block before frames are lost.
  ///
  /// The ring occupies only as much memory as was ever used.
  static let depth = Duration.seconds(32)
  /// The blocks that stay free for a loss at the end and for changes of the device.
  private static let spareBlocks = 16

  let onDeviceLoss: DeviceLossPolicy
  /// The format of the device's first opening.
  let format: AudioFormat
  let samples: RingBuffer<Float>
  let blocks = RingBuffer<Block>(capacity: 8_192, resident: 256)
  /// Wakes the user's thread.
  let readerWakeUp: WakeUp
  /// Holds the time of a virtual card from a wake-up of the user's thread until it has nothing to do.
  let hold: TimeHold?
  /// What the audio thread waits for while the ring is full.
  let roomRequest = WakeUpRequest()
  /// How many samples may wait in the ring before the user's thread is woken for them.
  ///
  /// The reader changes it and then looks at the ring (`isDue`); the audio thread writes into the
  /// ring and then looks at it (`announce`). At least one must see what the other did, or samples
  /// wait for a reader that sleeps. The ring publishes with release order, which a later load may
  /// overtake, so both sides put a fence between their write and their look.
  private let wakeThreshold = Atomic<Int>(0)
  private let stopping = Atomic<Bool>(false)
  /// The frames that did not fit into the ring since its last block; the audio thread's.
  private let missing = Atomic<Int>(0)
  private let over = Atomic<Bool>(false)
  /// Opened when the port has ended, while its ring may still hold frames.
  private let ended: Gate
  // Written once, by the control thread. The lock also orders every block before an outcome that the
  // reader sees.
  private let outcome = Mutex<Result<Void, any Error>?>(nil)

  /// - Parameters:
  ///   - ended: opened when the port has ended, while its ring may still hold frames.
  ///   - lockstep: the lockstep of a virtual card.
  init(
    of device: PCMConfiguration, onDeviceLoss: DeviceLossPolicy = .fail, ended: Gate = Gate(),
    lockstep: Lockstep? = nil
  ) throws(WakeUpError) {
    (self.onDeviceLoss, self.ended) = (onDeviceLoss, ended)
    format = device.format
    readerWakeUp = try WakeUp()
    hold = TimeHold(lockstep, "a user of a capture")
    hold?.begin()
    let depth = FrameCount(Self.depth, at: format.sampleRate).rawValue
    // Some plug-ins have periods of many seconds, and a period has to find room.
    let frames = max(depth, 4 * device.period.rawValue)
    samples = RingBuffer(
      capacity: frames * format.channelCount,
      resident: format.sampleRate.hertz * format.channelCount)
  }

  // MARK: Any thread

  /// Whether the user has stopped the port; the runtime is woken after that.
  var isStopping: Bool { stopping.load(ordering: .acquiring) }

  /// Stops the port; frames captured by now are still delivered.
  func stop() {
    stopping.store(true, ordering: .releasing)
  }

  /// How the port ended; nil while it is served.
  var ending: Result<Void, any Error>? { outcome.withLock { $0 } }

  /// Wakes the user's thread.
  func wakeReader() {
    hold?.begin()
    readerWakeUp.signal()
  }

  // MARK: The control thread

  func report(_ event: DeviceEvent) {}

  func reportNews() {}

  func deviceLost() {
    blocks.tryWrite(Block(kind: .deviceLost))
    wakeReader()
  }

  func deviceReturned(after gap: Duration) {}

  /// Notes, before the audio thread runs, that the device is open again; it did not capture for
  /// `absence`.
  func deviceOpened(after absence: Duration) {
    blocks.tryWrite(Block(kind: .deviceReturned, nanoseconds: absence.inNanoseconds))
  }

  /// A port that was to stop anyway has not failed.
  func conclude(_ error: (any Error)?) {
    let result: Result<Void, any Error> =
      if let error, !isStopping { .failure(error) } else { .success(()) }
    outcome.withLock { $0 = result }
    over.store(true, ordering: .releasing)
    ended.open()
    wakeReader()
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
  /// - Parameters:
  ///   - lost: the frames that were lost right before the block.
  ///   - time: when the first frame was captured.
  func write(
    _ block: UnsafeBufferPointer<Float>, _ format: AudioFormat, lost: Int, time: Duration,
    nonFinite: Int
  ) {
    guard hasRoom(for: block.count) else {
      missing.wrappingAdd(lost + block.count / format.channelCount, ordering: .relaxed)
      return
    }
    samples.tryWrite(block)
    blocks.tryWrite(
      Block(
        hertz: format.sampleRate.hertz, channelCount: format.channelCount,
        sampleCount: block.count, lostFrames: lost + takeMissing(),
        nanoseconds: time.inNanoseconds, nonFinite: nonFinite))
    announce()
  }

  /// Reports frames lost at the very end, which no block follows.
  func reportLoss(_ lost: Int, _ format: AudioFormat, time: Duration) {
    let all = lost + takeMissing()
    guard all > 0 else { return }
    blocks.tryWrite(
      Block(
        hertz: format.sampleRate.hertz, channelCount: format.channelCount, lostFrames: all,
        nanoseconds: time.inNanoseconds))
    wakeReader()
  }

  /// Whether the user's thread need not be woken for this many samples.
  ///
  /// It decides only how long the device is left alone, so the value may be a moment old.
  func defersWakeUp(for samples: Int) -> Bool {
    wakeThreshold.load(ordering: .relaxed) >= samples
  }

  private func takeMissing() -> Int { missing.exchange(0, ordering: .relaxed) }

  private func announce() {
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    let waiting = samples.capacity - samples.writable
    if waiting >= wakeThreshold.load(ordering: .relaxed) { wakeReader() }
  }

  // MARK: The user's thread

  /// Passes blocks to the consumer until the port ends, or the consumer wants no more.
  ///
  /// - Parameter madeRoom: called when the audio thread waits for room.
  /// - Throws: the consumer's error, or the error that ended the port.
  func drain(into consumer: some CaptureConsumer, madeRoom: () -> Void) throws {
    var reader = BlockReader(format)
    while true {
      let wakeUps = hold?.count
      // Read before the blocks: after the end, the ring holds all that there will be.
      let ending = ending
      while let read = reader.next(self, joining: samples(of: consumer.batchDuration)) {
        if roomRequest.take() { madeRoom() }
        guard try consumer.process(read) else { return }
      }
      if let ending {
        _ = try consumer.processRest(number: reader.nextNumber)
        return try ending.get()
      }
      sleepUntilDue(samples(of: consumer.batchDuration), since: wakeUps)
    }
  }

  /// Lets the reader sleep until this many samples wait, or something else happens.
  func deferWakeUps(for samples: Int) {
    wakeThreshold.store(samples, ordering: .relaxed)
    atomicMemoryFence(ordering: .sequentiallyConsistent)
  }

  private func sleepUntilDue(_ samples: Int, since wakeUps: Int?) {
    deferWakeUps(for: samples)
    // The threshold is lower now: blocks may be due that woke no thread.
    if isDue { return }
    hold?.end(at: wakeUps)
    readerWakeUp.wait()
  }

  /// Whether there are samples for which the reader is no longer woken.
  var isDue: Bool {
    let waiting = samples.readable
    return waiting > 0 && waiting >= wakeThreshold.load(ordering: .relaxed)
  }

  private func samples(of duration: Duration) -> Int {
    FrameCount(duration, at: format.sampleRate).rawValue * format.channelCount
  }
}

/// Reads blocks from a port and numbers their frames, for each opening of the device from 0.
struct BlockReader {
  enum Element {
    /// A block in the device's format, and how many blocks came before it.
    case block(CapturedAudio, number: Int)
    case deviceLost
    /// The device is open again; it did not capture for this long.
    case deviceReturned(Duration)
  }

  private let format: AudioFormat
  private var nextFrame: FrameCount = 0
  /// The number of the next block to read.
  private(set) var nextNumber = 0
  /// Whether frames of this opening were read: a loss before the first ones is no gap.
  private var hasBegun = false
  /// A block that was read ahead and comes next.
  private var upcoming: CapturePort.Block?

  /// - Parameter format: the format of the device's first opening.
  init(_ format: AudioFormat) {
    self.format = format
  }

  /// The next block, joined with those that follow it without a loss, up to `limit` samples.
  mutating func next(_ port: CapturePort, joining limit: Int = 0) -> Element? {
    guard var block = upcoming.take() ?? port.blocks.tryRead() else { return nil }
    let number = nextNumber
    nextNumber += 1
    switch block.kind {
    case .deviceLost: return .deviceLost
    case .deviceReturned:
      (nextFrame, hasBegun) = (0, false)
      return .deviceReturned(.nanoseconds(block.nanoseconds))
    case .frames: break
    }
    while block.sampleCount < limit, let following = port.blocks.tryRead() {
      guard following.kind == .frames, following.lostFrames == 0 else {
        upcoming = following
        break
      }
      block.sampleCount += following.sampleCount
      block.nonFinite += following.nonFinite
      nextNumber += 1
    }
    return .block(audio(block, from: port), number: number)
  }

  private mutating func audio(
    _ block: CapturePort.Block, from port: CapturePort
  ) -> CapturedAudio {
    let samples = [Float](unsafeUninitializedCapacity: block.sampleCount) { target, count in
      count = port.samples.tryRead(
        into: UnsafeMutableBufferPointer(rebasing: target[..<block.sampleCount]))
    }
    let isFirst =
      block.hertz == format.sampleRate.hertz && block.channelCount == format.channelCount
    let found = AudioFormat(
      sampleRate: SampleRate(hertz: block.hertz), channelCount: block.channelCount)
    let lost = hasBegun ? FrameCount(block.lostFrames) : 0
    hasBegun = true
    let buffer = AudioBuffer(
      format: isFirst ? format : found, samples: samples, firstFrame: nextFrame + lost)
    nextFrame = buffer.endFrame
    return CapturedAudio(
      buffer: buffer, time: .nanoseconds(block.nanoseconds),
      gap: lost > 0 ? CaptureGap(lost: lost) : nil, nonFiniteCount: block.nonFinite)
  }
}

extension CaptureConsumer {
  /// Converts and processes an element of the ring; false if the consumer wants no more audio.
  fileprivate func process(_ read: BlockReader.Element) throws -> Bool {
    switch read {
    case .block(let captured, let number):
      if let gap = converter.gapEnding(with: captured) { deviceReturned(after: gap) }
      for block in try converter.process(captured) {
        guard try process(block, number: number) else { return false }
      }
      return true
    case .deviceLost: return try processRest(number: 0) && deviceLost()
    case .deviceReturned(let absence):
      converter.deviceReturned(after: absence)
      return true
    }
  }

  /// Processes the frames that the converter holds back.
  fileprivate func processRest(number: Int) throws -> Bool {
    try converter.finish().map { try process($0, number: number) } ?? true
  }
}
