import AudioCore
import AudioRecorderClient
import AudioThreads
import FilePaths
import FoundationEssentials
import SoundCard
import SoundFile

extension RecordingRequest {
  /// Checks the request and returns the encoding of its output; throws if the check fails.
  func checkedEncoding() throws(AudioRecorderError) -> SoundFileEncoding {
    let encoding = try outputEncoding()
    try check()
    // A rate or channel count that is not requested is chosen to suit the file, so check only
    // requested values.
    let rate = sampleRate ?? encoding.supportedRate(for: 48_000)
    do {
      try encoding.check(AudioFormat(sampleRate: rate, channelCount: channelCount ?? 1))
    } catch {
      throw .unsupportedFormat(reason: "\(error)")
    }
    return encoding
  }

  /// The request to the device: the format of the file, or 48 kHz stereo.
  var deviceRequest: PCMRequest {
    let format = AudioFormat.requested(
      at: sampleRate ?? 48_000, picking: channels, channelCount: channelCount)
    return PCMRequest(
      device: device, format: format, buffering: .capture, prefersNativeRate: true)
  }

  /// Whether a reader consumes the recording while it is written.
  var isLive: Bool {
    if case .descriptor = destination { true } else { false }
  }

  /// Returns the format of the file for a device with this format.
  func fileFormat(_ encoding: SoundFileEncoding, on device: AudioFormat) -> AudioFormat {
    AudioFormat(
      sampleRate: sampleRate ?? encoding.supportedRate(for: device.sampleRate),
      channelCount: channelCount
        ?? min(device.channelCount, encoding.maximumChannelCount ?? device.channelCount))
  }

  /// Opens the output in this format; throws if the first file cannot be created.
  ///
  /// Once `stopSignal` is signaled, a write fails if the reader reads nothing for a second. Files
  /// are flushed and completed on `storing`.
  func output(
    _ format: AudioFormat, _ encoding: SoundFileEncoding, stopSignal: WakeUp?,
    storing: ThreadPool?, report: @escaping @Sendable (RecordingEvent) -> Void
  ) throws(AudioRecorderError) -> any RecordingOutput {
    switch destination {
    case .file(let url):
      return try RecordingFiles(
        url, rolling: rolling, format: format, encoding: encoding, storing: storing, report: report)
    case .descriptor(let number, let name, let isRaw):
      let descriptor: Descriptor
      do throws(SoundFileError) {
        // Duplicate the descriptor, because the caller may close the original before the recording
        // has ended.
        descriptor = try .duplicate(number, path: name)
      } catch {
        throw AudioRecorderError(ofDescriptor: error)
      }
      return DescriptorOutput(format, on: descriptor) { () throws(SoundFileError) in
        try StreamingWAVWriter(
          fileDescriptor: descriptor.number, name: name, format: format,
          samples: encoding.samples ?? .int16, isRaw: isRaw, stopSignal: stopSignal)
      }
    }
  }

  private func outputEncoding() throws(AudioRecorderError) -> SoundFileEncoding {
    switch destination {
    case .descriptor:
      let encoding = encoding ?? .wav16
      guard encoding.container == .wav else {
        throw .unsupportedFormat(reason: "a descriptor takes WAV, not \(encoding)")
      }
      return encoding
    case .file(let url):
      if let encoding { return encoding }
      guard let encoding = try? SoundFileEncoding(pathExtension: FilePath(url).pathExtension) else {
        throw .unknownFileFormat(url)
      }
      return encoding
    }
  }
}
