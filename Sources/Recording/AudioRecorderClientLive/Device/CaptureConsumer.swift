import AudioCore
import AudioRecorderClient
import SoundCard

/// A consumer of captured audio.
///
/// It may block only if a task on a `ThreadPool` calls it.
protocol CaptureConsumer: AnyObject {
  /// How the consumer responds to the loss of the device.
  var onDeviceLoss: DeviceLossPolicy { get }

  /// Converts the device's blocks for the consumer.
  var converter: CaptureConverter { get }

  /// The maximum duration of blocks to join into one, which saves work; zero to process each block
  /// separately.
  var batchDuration: Duration { get }

  /// Processes a converted block, which may be empty; returns false to end the capture.
  ///
  /// `number` is the number of blocks before this block.
  func process(_ block: CapturedAudio, number: Int) throws -> Bool

  /// Handles the loss of the device; returns false to end the capture.
  func deviceLost() throws -> Bool

  /// Handles the return of the device; the next block contains the gap.
  func deviceReturned(after gap: Duration)

  /// Completes the work; no call follows.
  func finish() throws
}

extension CaptureConsumer {
  var onDeviceLoss: DeviceLossPolicy { .fail }

  var batchDuration: Duration { .zero }

  func deviceLost() -> Bool { true }

  func deviceReturned(after gap: Duration) {}
}
