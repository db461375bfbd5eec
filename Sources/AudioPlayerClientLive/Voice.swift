import AudioCore
import AudioThreads
import SoundCard
import Synchronization

/// One sound on its way to the card: the feeder writes its ring, the card's thread mixes it, the
/// session looks at it.
///
/// Right as `@unchecked Sendable` because the variables below belong to the card's thread alone,
/// from the moment that the voice is added; everything that others touch is an atomic, the ring, or
/// a descriptor.
final class Voice: @unchecked Sendable {
  /// Samples in the device's format, between the feeder and the card's thread.
  let ring: Ring<Float>
  /// Signalled when the ring has room again that is wished for, and when nobody will read it any
  /// more.
  let room: WakeUp
  let roomWish = Wish()
  let format: AudioFormat
  /// Called by the engine's reporter, in order.
  let report: @Sendable (VoiceReport) -> Void

  /// Frames heard so far.
  let heardFrames = Atomic<Int>(0)
  private let stopping = Atomic<Bool>(false)
  private let inputEnded = Atomic<Bool>(false)
  private let over = Atomic<Bool>(false)

  // The card's thread only.
  var ramp: GainRamp
  var position = VoicePosition()
  var dropout: DropoutFade
  var untold = UntoldSilence()
  /// The last frame that the ring gave, a sample per channel.
  let lastFrame: UnsafeMutableBufferPointer<Float>

  init(
    format: AudioFormat, capacity: Duration, volume: Float,
    report: @escaping @Sendable (VoiceReport) -> Void
  ) throws(WakeUpError) {
    self.format = format
    self.report = report
    room = try WakeUp()
    ring = Ring(
      capacity: FrameCount(capacity, at: format.sampleRate).rawValue * format.channelCount)
    ramp = GainRamp(clampedGain(volume))
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
  /// Whether the ring holds all that will ever come.
  var hasInputEnded: Bool { inputEnded.load(ordering: .acquiring) }
  /// Whether nobody will read the ring any more.
  var isOver: Bool { over.load(ordering: .acquiring) }
  /// Frames that can be mixed now.
  var readableFrames: Int { ring.readable / format.channelCount }

  /// Whether it can begin: a fifth of what the ring holds has been decoded.
  var isPrimed: Bool { ring.totalWritten >= ring.capacity / 5 }

  func stop() {
    stopping.store(true, ordering: .releasing)
    room.signal()
  }

  func endInput() {
    inputEnded.store(true, ordering: .releasing)
  }

  func close() {
    over.store(true, ordering: .releasing)
    room.signal()
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
  /// So many frames of silence were heard, because its source was late.
  case starved(Int)
  /// So many frames of silence were heard, because the device was in trouble.
  case silence(Int)
  /// Its last frame has been heard, or its fade has; nothing follows.
  case finished(heard: Int)
  /// The device failed; nothing follows.
  case failed(any Error)
}
