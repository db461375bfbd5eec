import AudioCore
import AudioRecorderClient
import SoundCard

/// A user of a capture, on its own thread.
protocol CaptureConsumer: AnyObject {
  /// What happens to the consumer when the device is lost.
  var onDeviceLoss: DeviceLossPolicy { get }

  /// Converts the device's blocks for the consumer.
  var converter: CaptureConverter { get }

  /// How much audio may be joined into one block to save work; zero for each block at once.
  var batchDuration: Duration { get }

  /// Processes a converted block, which may be empty; false if the consumer wants no more.
  ///
  /// - Parameter number: how many blocks the port had before it.
  func process(_ block: CapturedAudio, number: Int) throws -> Bool

  /// The device is lost; false if the consumer wants no more.
  func deviceLost() throws -> Bool

  /// The device is back; the next block has the gap.
  func deviceReturned(after gap: Duration)

  /// Completes the work: nothing follows.
  func finish() throws
}

extension CaptureConsumer {
  var onDeviceLoss: DeviceLossPolicy { .fail }

  var batchDuration: Duration { .zero }

  func deviceLost() -> Bool { true }

  func deviceReturned(after gap: Duration) {}
}
