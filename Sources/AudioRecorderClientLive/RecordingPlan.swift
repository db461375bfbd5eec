import AudioCore
import AudioRecorderClient
import AudioThreads
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
      buffering: isLive ? .capture : .recording, prefersNativeRate: true)
  }

  /// Whether a reader consumes it while it is written.
  var isLive: Bool {
    if case .descriptor = request.destination { true } else { false }
  }

  /// The file's format where this is what comes from the device.
  func fileFormat(on device: AudioFormat) -> AudioFormat {
    AudioFormat(
      sampleRate: request.sampleRate ?? encoding.supportedRate(for: device.sampleRate),
      channelCount: request.channelCount
        ?? min(device.channelCount, encoding.maximumChannelCount ?? device.channelCount))
  }

  /// What the recording is written to, in this format; throws where the first file cannot be made.
  ///
  /// - Parameter stopSignal: once it is signaled, a reader that takes nothing fails the write.
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
        // The caller may close its own as soon as nobody reads the events any more.
        descriptor = try .duplicate(number, path: name)
      } catch {
        throw AudioRecorderError(ofDescriptor: error)
      }
      return RecordingStream(format, on: descriptor) { [encoding] () throws(SoundFileError) in
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

extension RecordingRequest {
  /// What is heard before the beginning is kept in memory.
  private static let longestPreRoll = Duration.seconds(600)
  /// So is a sound until it is long enough, and what trimming leaves.
  fileprivate static let longestHold = Duration.seconds(600)
  fileprivate static let shortestFile = Duration.milliseconds(100)
  fileprivate static let smallestFile = 10_000

  /// Throws where the rules make no sense.
  func checkRules() throws(AudioRecorderError) {
    if let maximumDuration, maximumDuration <= .zero {
      throw .unsupportedFormat(
        reason: "a recording lasts longer than 0 s, not \(maximumDuration.inSeconds) s")
    }
    try ChannelPick.check(channels, of: "a recording")
    guard (.zero...Self.longestPreRoll).contains(preRoll) else {
      throw .unsupportedFormat(
        reason: "a pre-roll lasts 0 to 600 s, not \(preRoll.inSeconds) s")
    }
    for rule in [sound, endAfterSilence, trim, warnBelow] { try rule?.check() }
    for rule in [sound, trim] { try rule?.checkMemory() }
    if let endAfterSilence, endAfterSilence.hold == .zero {
      throw .unsupportedFormat(
        reason: "silence that ends a recording lasts longer than \(Duration.zero.inSeconds) s")
    }
    try rolling.check()
  }

  /// What it waits for.
  private var sound: LevelRule? {
    if case .atSound(let rule) = start { rule } else { nil }
  }
}

extension LevelRule {
  fileprivate func check() throws(AudioRecorderError) {
    guard hold < .zero else { return }
    throw .unsupportedFormat(reason: "a level is held for 0 s or longer, not \(hold.inSeconds) s")
  }

  fileprivate func checkMemory() throws(AudioRecorderError) {
    let longest = RecordingRequest.longestHold
    guard hold > longest else { return }
    throw .unsupportedFormat(
      reason: "a sound that begins a recording, or silence that stays at its edges, lasts up to "
        + "\(longest.inSeconds) s, not \(hold.inSeconds) s")
  }
}

extension RecordingRolling {
  fileprivate func check() throws(AudioRecorderError) {
    if let length, length < RecordingRequest.shortestFile {
      throw .unsupportedFormat(
        reason: "each file lasts 0.1 s or longer, not \(length.inSeconds) s")
    }
    if let byteCount, byteCount < RecordingRequest.smallestFile {
      throw .unsupportedFormat(
        reason: "each file has \(RecordingRequest.smallestFile) bytes or more, not \(byteCount)")
    }
  }
}
