import AudioCore
import AudioRecorderClient
import AudioThreads
import FoundationEssentials
import SoundFile

/// The output of a recording.
protocol RecordingOutput: AnyObject {
  /// The rate and channels of the output.
  var format: AudioFormat { get }

  /// The frames written so far.
  var framesWritten: FrameCount { get }

  /// The file with the last frames; nil for a descriptor, and if that file has no frames.
  var file: URL? { get }

  /// Continues in the next file from the next frame on; does nothing for a descriptor.
  func roll()

  func append(_ buffer: AudioBuffer) throws(AudioRecorderError)

  /// Throws if an earlier file could not be completed.
  func checkLast() throws(AudioRecorderError)

  /// Completes all files.
  func close() throws(AudioRecorderError)
}

/// Writes WAV, or only samples, to a descriptor.
final class DescriptorOutput: RecordingOutput {
  let format: AudioFormat
  let file: URL? = nil
  private let descriptor: Descriptor
  private let begin: () throws(SoundFileError) -> StreamingWAVWriter
  private var writer: StreamingWAVWriter?
  /// The error of the first failed write.
  ///
  /// Part of a frame may have been written, so all later writes fail with the same error.
  private var failure: AudioRecorderError?

  /// Creates an output; `begin` is called with the first frames, and writes the header.
  init(
    _ format: AudioFormat, on descriptor: Descriptor,
    begin: @escaping () throws(SoundFileError) -> StreamingWAVWriter
  ) {
    (self.format, self.descriptor, self.begin) = (format, descriptor, begin)
  }

  var framesWritten: FrameCount { writer?.framesWritten ?? 0 }

  func append(_ buffer: AudioBuffer) throws(AudioRecorderError) {
    if let failure { throw failure }
    do throws(SoundFileError) {
      if writer == nil { writer = try begin() }
      try writer?.write(buffer)
    } catch {
      let failure = AudioRecorderError(ofDescriptor: error)
      self.failure = failure
      throw failure
    }
  }

  func roll() {}
  func checkLast() {}
  func close() {}
}
