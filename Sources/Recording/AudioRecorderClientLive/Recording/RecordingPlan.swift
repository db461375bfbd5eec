import AudioCore
import AudioRecorderClient
import AudioThreads
import FilePaths
import FoundationEssentials
import SoundCard
import SoundFile

/// A checked request: the request to the device, and the output for the resulting format.
struct RecordingPlan {
  let request: RecordingRequest
  let encoding: SoundFileEncoding

  /// Checks the request; throws `AudioRecorderError` if it cannot be recorded.
  init(_ request: RecordingRequest) throws(AudioRecorderError) {
    self.request = request
    encoding = try Self.encoding(request)
    try request.check()
    try checkFormat()
  }

  /// The request to the device: the format of the file, or 48 kHz stereo.
  var deviceRequest: PCMRequest {
    let channelCount = ChannelPick.deviceChannelCount(
      for: request.channels, else: request.channelCount)
    return PCMRequest(
      device: request.device,
      format: AudioFormat(sampleRate: request.sampleRate ?? 48_000, channelCount: channelCount),
      buffering: .capture, prefersNativeRate: true)
  }

  /// Whether a reader consumes the recording while it is written.
  var isLive: Bool {
    if case .descriptor = request.destination { true } else { false }
  }

  /// The file's format if the device has this one.
  func fileFormat(on device: AudioFormat) -> AudioFormat {
    AudioFormat(
      sampleRate: request.sampleRate ?? encoding.supportedRate(for: device.sampleRate),
      channelCount: request.channelCount
        ?? min(device.channelCount, encoding.maximumChannelCount ?? device.channelCount))
  }

  /// Opens the output in this format; throws if the first file cannot be created.
  ///
  /// - Parameter stopSignal: once signaled, a write fails if the reader reads nothing for a second.
  func output(
    _ format: AudioFormat, stopSignal: WakeUp?, report: @escaping @Sendable (RecordingEvent) -> Void
  ) throws(AudioRecorderError) -> any RecordingOutput {
    switch request.destination {
    case .file(let url):
      return try RecordingFiles(
        url, rolling: request.rolling, format: format, encoding: encoding, report: report)
    case .descriptor(let number, let name, let isRaw):
      let descriptor: Descriptor
      do throws(SoundFileError) {
        // The caller may close its own descriptor once it stops reading the events.
        descriptor = try .duplicate(number, path: name)
      } catch {
        throw AudioRecorderError(ofDescriptor: error)
      }
      return DescriptorOutput(format, on: descriptor) { [encoding] () throws(SoundFileError) in
        try StreamingWAVWriter(
          fileDescriptor: descriptor.number, name: name, format: format,
          samples: encoding.samples ?? .int16, isRaw: isRaw, stopSignal: stopSignal)
      }
    }
  }

  private static func encoding(
    _ request: RecordingRequest
  ) throws(AudioRecorderError) -> SoundFileEncoding {
    switch request.destination {
    case .descriptor:
      let encoding = request.encoding ?? .wav16
      guard encoding.container == .wav else {
        throw .unsupportedFormat(reason: "a descriptor takes WAV, not \(encoding)")
      }
      return encoding
    case .file(let url):
      if let encoding = request.encoding { return encoding }
      guard let encoding = try? SoundFileEncoding(pathExtension: FilePath(url).pathExtension) else {
        throw .unknownFileFormat(url)
      }
      return encoding
    }
  }

  /// Checks the requested rate and channel count; unrequested values are chosen to suit the file.
  private func checkFormat() throws(AudioRecorderError) {
    let rate = request.sampleRate ?? encoding.supportedRate(for: 48_000)
    do {
      try encoding.check(AudioFormat(sampleRate: rate, channelCount: request.channelCount ?? 1))
    } catch {
      throw .unsupportedFormat(reason: "\(error)")
    }
  }
}
