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

  /// The device came to its end: an error where a length was asked for that is not reached.
  ///
  /// Lengths are rounded to frames, hence the margin.
  func check(recorded: Duration) throws(CommandFailure) {
    guard let length, recorded + .milliseconds(1) < length else { return }
    throw CommandFailure(
      description: "the device came to its end after \(recorded.secondsText), "
        + "before the \(length.secondsText) that were asked for")
  }
}
