import AudioCore
import AudioRecorderClient
import SoundFile

/// What to record, whatever it is recorded to.
struct RecordingSettings: Equatable {
  var device: AudioDevice.ID?
  var sampleRate: SampleRate?
  var channelCount: Int?
  var length: Duration?
  /// Of a file; nil for what its extension names.
  var fileFormat: RecordingFileFormat?
  /// Of standard output.
  var samples = SoundFileEncoding.SampleFormat.int16
  /// Whether standard output gets no header.
  var isRaw = false
  /// The device's channels to record, counted from 0; nil for all.
  var channels: [Int]?
  /// Whether the events go to standard output.
  var printsEvents = false
  /// What becomes of the recording where the device is lost.
  var onDeviceLoss = DeviceLossPolicy.fail

  /// An error where it ended by itself before the length that was asked for, or without a frame.
  func check(_ finish: RecordingFinish) throws(CommandFailure) {
    switch finish.reason {
    case .deviceEnded where finish.frameCount == 0: throw .noSound
    case .deviceEnded: try check(recorded: finish.recorded)
    case .gap: try check(recorded: finish.recorded, because: "sound was lost")
    case .stopped, .lengthReached, .silence, .failed: return
    }
  }

  /// An error where the length that was asked for is not reached.
  ///
  /// Lengths are rounded to frames, hence the margin.
  func check(
    recorded: Duration, because cause: String = "the device came to its end"
  ) throws(CommandFailure) {
    guard let length, recorded + .milliseconds(1) < length else { return }
    throw CommandFailure(
      description: "\(cause) after \(recorded.secondsText), "
        + "before the \(length.secondsText) that were asked for")
  }
}
