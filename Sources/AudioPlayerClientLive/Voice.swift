import AudioCore
import AudioThreads
import SoundCard
import Synchronization

/// One sound on its way to the card: the feeder writes its ring, the card's thread mixes it, the
/// session looks at it.
///
/// Right as `@unchecked Sendable` because the variables below belong to the card's thread alone,
/// from the moment that the voice is added; everything that others touch is an atomic, the ring, a
/// descriptor, or behind a lock that the card's thread never sees.
final class Voice: @unchecked Sendable {
  /// Samples in the device's format, between the feeder and the card's thread.
  let ring: Ring<Float>
  /// Signalled when the ring has room again that is wished for, when it has been emptied, when the
  /// feeder is asked for something, and when nobody will read it any more.
  let room: WakeUp
  let roomWish = Wish()
  let format: AudioFormat
  /// What is wished of it.
  let board: WishBoard
  /// The bus that it sounds on.
  let bus: BusVolume
  /// What becomes of it where its device is lost.
  let onDeviceLoss: DeviceLossPolicy
  /// The frames after which its progress is news.
  let progressFrames: Int
  /// Called by the engine's reporter, in order.
  let report: @Sendable (VoiceReport) -> Void

  /// Frames heard so far.
  let heardFrames = Atomic<Int>(0)
  private let stopping = Atomic<Bool>(false)
  private let input = Atomic<Input>(.open)
  private let over = Atomic<Bool>(false)
  /// The last epoch that the ring was emptied for, and the frames that were taken for good until
  /// then.
  private let flushedEpoch = Atomic<Int>(0)
  private let framesAtFlush = Atomic<Int>(0)
  /// The serial number of the wishes that are in force; the place is twice the frame that this is
  /// so at, and one more where that is a pause.
  private let settledSerial = Atomic<Int>(0)
  private let settledPlace = Atomic<Int>(0)

  // The card's thread only.
  var transport: VoiceTransport
  var position = VoicePosition()
  var dropout: DropoutFade
  var untold = UntoldSilence()
  /// Whether its source was late with a part of the last block.
  var isInHole = false
  /// How long its end is waited for, once the device has all of it.
  var endClock: DrainClock?
  private var seen: Int
  /// The frame that it has sounded from since it was silent.
  var soundsSince = 0
  /// The last frame that the ring gave, a sample per channel.
  let lastFrame: UnsafeMutableBufferPointer<Float>

  init(
    format: AudioFormat, capacity: Duration, board: WishBoard, bus: BusVolume = BusVolume(),
    progressInterval: Duration = .milliseconds(50), onDeviceLoss: DeviceLossPolicy = .fail,
    report: @escaping @Sendable (VoiceReport) -> Void
  ) throws(WakeUpError) {
    self.format = format
    self.board = board
    self.bus = bus
    self.onDeviceLoss = onDeviceLoss
    self.report = report
    progressFrames =
      FrameCount(
        max(.milliseconds(50), progressInterval), at: format.sampleRate
      ).rawValue
    room = try WakeUp()
    ring = Ring(
      capacity: FrameCount(capacity, at: format.sampleRate).rawValue * format.channelCount,
      resident: format.sampleRate.hertz * format.channelCount)
    let begin = board.current
    seen = begin.serial
    transport = VoiceTransport(begin.wishes, rate: format.sampleRate)
    dropout = DropoutFade(length: FrameCount(.milliseconds(5), at: format.sampleRate).rawValue)
    lastFrame = .allocate(capacity: format.channelCount)
    lastFrame.initialize(repeating: 0)
  }

  deinit {
    lastFrame.deallocate()
  }

  /// What the ring is to hold: a fifth of it, with which the voice begins, is a period at least,
  /// which some plug-ins make many seconds long.
  static func capacity(on device: PCMConfiguration) -> Duration {
    max(.seconds(1), device.period.duration(at: device.format.sampleRate) * 5)
  }

  /// Whether it is to fade out and end.
  var isStopping: Bool { stopping.load(ordering: .acquiring) }
  /// Whether the ring holds all that will ever come, unless the feeder finds more in time.
  var hasInputEnded: Bool { input.load(ordering: .acquiring) != .open }
  /// Whether nobody will read the ring any more.
  var isOver: Bool { over.load(ordering: .acquiring) }
  /// Frames that can be mixed now.
  var readableFrames: Int { ring.readable / format.channelCount }
  /// Frames that have ever been written.
  var writtenFrames: Int { ring.totalWritten / format.channelCount }

  /// Whether it can begin: a fifth of what the ring holds has been decoded.
  var isPrimed: Bool { ring.totalWritten >= ring.capacity / 5 }

  func stop(fade: Duration = TransportWishes.shortestFade) {
    board.update { wishes in
      wishes.isStopping = true
      wishes.fade = fade
    }
    stopping.store(true, ordering: .releasing)
    room.signal()
  }

  func endInput() {
    _ = input.compareExchange(expected: .open, desired: .ended, ordering: .acquiringAndReleasing)
  }

  /// More follows after all; false where the voice has ended meanwhile.
  func reopenInput() -> Bool {
    input.compareExchange(expected: .ended, desired: .open, ordering: .acquiringAndReleasing)
      .original != .closed
  }

  /// Whether the ring has been emptied for an epoch; the frames that were taken for
  /// good until then.
  func flushed(_ epoch: Int) -> Int? {
    flushedEpoch.load(ordering: .acquiring) == epoch
      ? framesAtFlush.load(ordering: .relaxed) : nil
  }

  /// What is in force, at which of its frames, and whether that is a pause.
  var settlement: (serial: Int, frame: Int, isPaused: Bool) {
    let serial = settledSerial.load(ordering: .acquiring)
    let place = settledPlace.load(ordering: .relaxed)
    return (serial, place >> 1, place & 1 == 1)
  }

  func close() {
    over.store(true, ordering: .releasing)
    room.signal()
  }
}

/// Whether a voice's feeder has more for it.
private enum Input: UInt8, AtomicRepresentable {
  case open
  case ended
  /// It has ended, and so has the voice.
  case closed
}

// What the card's thread does with a voice.
extension Voice {
  /// Takes note of what is wished, and empties the ring where that is due.
  func attend() {
    if let reading = board.read(after: seen) {
      seen = reading.serial
      transport.wish(reading.wishes)
    }
    flush()
  }

  /// The same where nobody hears it.
  func attendUnheard() {
    attend()
    transport.settleUnheard()
    flush()
  }

  private func flush() {
    guard transport.flush() else { return }
    ring.discardReadable()
    framesAtFlush.store(position.mixed, ordering: .relaxed)
    flushedEpoch.store(transport.wishes.epoch, ordering: .releasing)
    room.signal()
  }

  /// Ends the voice with what the ring holds; false where the feeder has found more.
  func closeInput() -> Bool {
    input.compareExchange(expected: .ended, desired: .closed, ordering: .acquiringAndReleasing)
      .original != .open
  }

  /// Says what is in force; false where that has been said.
  func settle() -> Bool {
    guard transport.isSettled, settledSerial.load(ordering: .relaxed) != seen else { return false }
    // What is over stays where it was: the end of a pause is no resumption.
    if transport.phase != .over {
      let isSilent = transport.phase == .silent
      let isPaused = isSilent && transport.wishes.isPaused
      let frame = isSilent ? position.mixed : soundsSince
      settledPlace.store(frame << 1 | (isPaused ? 1 : 0), ordering: .relaxed)
    }
    settledSerial.store(seen, ordering: .releasing)
    return true
  }
}

/// Silence in a voice that the card's thread has still to tell of, in frames; nil where there was
/// none.
struct UntoldSilence: Equatable {
  /// The source was late.
  var starved: Int?
  /// The device was in trouble, for a time that it may not know.
  var device: Int?
}

/// What the engine has to say of a voice.
enum VoiceReport {
  /// So many frames have been heard.
  case heard(Int)
  /// What was wished up to this serial number is in force, from one of the voice's frames on.
  case settled(serial: Int, frame: Int, isPaused: Bool)
  /// So many frames of silence were heard, because its source was late.
  case starved(Int)
  /// So many frames of silence were heard, because the device was in trouble.
  case silence(Int)
  /// The sum of all voices needed this gain to stay within ±1.
  case limited(gain: Float)
  /// The device is lost, and it waits for it.
  case deviceLost
  /// The device is back after so long.
  case deviceReturned(gap: Duration)
  /// Its last frame has been heard, or its fade has; nothing follows.
  case finished(heard: Int)
  /// The device failed; nothing follows.
  case failed(any Error, heard: Int)
}
