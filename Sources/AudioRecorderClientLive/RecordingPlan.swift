import AudioCore
import AudioRecorderClient
import FilePaths
import FoundationEssentials
import SoundCard
import SoundFile

/// What a recording's request comes to, before and after the device has settled on a format.
struct RecordingPlan {
  let request: RecordingRequest
  let encoding: SoundFileEncoding

  /// Checks the request; throws `AudioRecorderError` where no recording could come of it.
  init(_ request: RecordingRequest) throws(AudioRecorderError) {
    self.request = request
    encoding = try Self.encoding(request)
    try checkChannels(request.channelCount, of: "a recording")
    try checkFormat()
    try request.checkRules()
  }

  /// What the device is asked for: what the file is to have, or 48 kHz stereo.
  var deviceRequest: PCMRequest {
    let channelCount = ChannelPick.deviceChannelCount(
      for: request.channels, else: request.channelCount)
    return PCMRequest(
      device: request.device,
      format: AudioFormat(sampleRate: request.sampleRate ?? 48_000, channelCount: channelCount),
      buffering: .recording, prefersNativeRate: true)
  }

  /// The file's format where this is what comes from the device.
  func fileFormat(on device: AudioFormat) -> AudioFormat {
    AudioFormat(
      sampleRate: request.sampleRate ?? encoding.supportedRate(for: device.sampleRate),
      channelCount: request.channelCount
        ?? min(device.channelCount, encoding.maximumChannelCount ?? device.channelCount))
  }

  private static func encoding(
    _ request: RecordingRequest
  ) throws(AudioRecorderError) -> SoundFileEncoding {
    if let format = request.fileFormat {
      guard let encoding = format.encoding else {
        throw .unsupportedFormat(
          reason: "\(format.container.rawValue) files hold no samples of \(format.samplesText)")
      }
      return encoding
    }
    do {
      return try SoundFileEncoding(pathExtension: FilePath(request.url).pathExtension)
    } catch {
      throw .unknownFileFormat(request.url)
    }
  }

  /// What is not asked for will be what a file can have.
  private func checkFormat() throws(AudioRecorderError) {
    let rate = request.sampleRate ?? encoding.supportedRate(for: 48_000)
    do {
      try encoding.check(AudioFormat(sampleRate: rate, channelCount: request.channelCount ?? 1))
    } catch {
      throw .unsupportedFormat(reason: "\(error)")
    }
  }
}

extension RecordingFileFormat {
  /// What writes it; nil where there is no such format.
  var encoding: SoundFileEncoding? {
    SoundFileEncoding(container.coded, samples: samples?.coded)
  }

  fileprivate var samplesText: String {
    samples.map { "\($0.coded)" } ?? "any kind"
  }
}

extension RecordingFileFormat.Container {
  fileprivate var coded: SoundFileEncoding.Container {
    switch self {
    case .wav: .wav
    case .aiff: .aiff
    case .au: .au
    case .caf: .caf
    case .flac: .flac
    case .vorbis: .vorbis
    case .opus: .opus
    case .mp3: .mp3
    }
  }
}

extension RecordingFileFormat.Samples {
  fileprivate var coded: SoundFileEncoding.SampleFormat {
    switch self {
    case .int16: .int16
    case .int24: .int24
    case .int32: .int32
    case .float: .float
    }
  }
}
