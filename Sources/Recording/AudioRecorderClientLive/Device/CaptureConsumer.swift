import AudioCore
import SoundCard

/// Takes the audio of a capture.
protocol CaptureConsumer: AnyObject {
  /// What happens to the consumer when the device is lost.
  var onDeviceLoss: DeviceLossPolicy { get }

  /// Takes a block; false if it wants no more.
  func take(_ captured: DeviceAudio) throws -> Bool

  /// Whether `take` may block forever, as a write to a pipe can.
  var mayStall: Bool { get }

  /// Begins a round: every block captured by now is taken before the next `endRound`.
  func beginRound()

  /// Ends the round; false if the consumer wants no more.
  func endRound() throws -> Bool

  /// How much audio may be joined into one block to save work; zero for each block at once.
  var batchDuration: Duration { get }

  /// Completes the work: nothing follows.
  func finish() throws
}

extension CaptureConsumer {
  var onDeviceLoss: DeviceLossPolicy { .fail }

  var mayStall: Bool { false }

  func beginRound() {}

  func endRound() -> Bool { true }

  var batchDuration: Duration { .zero }
}

/// A block in the device's format, or an event of the device, which has no frames.
struct DeviceAudio: Sendable {
  /// A change of the device.
  enum Event: Sendable {
    case lost
    /// The device is back; `lost` is what its absence cost.
    case returned
  }

  /// The frames; `firstFrame` counts lost frames as well.
  var buffer: AudioBuffer
  /// When the first frame was captured, by the device's clock.
  var time: Duration
  /// The frames that were lost right before the block.
  var lost: FrameCount
  /// The number of blocks that the audio thread delivered before this one.
  var number = 0
  /// A change of the device; nil for a block of frames.
  var event: Event?
  /// The number of samples that were NaN or infinite; they are silence.
  var nonFinite = 0
}
