import AudioCore
import CSndFile

/// What decodes one file or stream, used by one thread at a time.
protocol SoundDecoder: AnyObject {
  var format: AudioFormat { get }

  /// What the header promises; nil where it promises nothing, as in a stream or an MP3 without a tag.
  var announcedFrameCount: FrameCount? { get }

  /// The human-readable names of container and encoding.
  var encodingDescription: String { get }

  /// The bits of a sample as stored; nil where the coder has no such thing.
  var bitsPerSample: Int? { get }

  /// The samples that hold all that is stored, nil for a lossy coder.
  var samples: SoundFileEncoding.SampleFormat? { get }

  /// The texts that the file carries, as far as they have come.
  var tags: [AudioTag: String] { get }

  /// The marks in the file, in its order.
  var cues: [AudioCue] { get }

  var isSeekable: Bool { get }

  /// Whether the end of the file is missing, whatever was promised; true at the end at the latest.
  var isCutOff: Bool { get }

  /// Decodes the next frames; fewer than asked for only at the end and before a failure.
  func read(_ target: UnsafeMutablePointer<Float>, frames: Int) -> Int

  /// Goes to a frame; false where it cannot be found.
  func seek(to frame: Int) -> Bool

  /// Why the last read has ended at this frame; nil where it is the end.
  func failure(at frame: FrameCount) -> SoundFileError?
}

extension SoundDecoder {
  var isCutOff: Bool { false }
  var bitsPerSample: Int? { nil }
  var samples: SoundFileEncoding.SampleFormat? { nil }
  var tags: [AudioTag: String] { [:] }
  var cues: [AudioCue] { [] }
}

/// Decodes what libsndfile reads.
final class LibraryDecoder: SoundDecoder {
  /// A larger value is not audio, and would exceed memory.
  private static let rates = 1...768_000
  private static let channelCounts = 1...256

  let format: AudioFormat
  let announcedFrameCount: FrameCount?
  let isSeekable: Bool

  private let handle: SoundFileHandle
  /// From the file's own order of channels; nil where it is that of WAV files.
  private let order: ChannelMix?
  private let info: SF_INFO
  private let path: String
  private let file: FilePart?
  private let ending: @Sendable () -> Ending
  /// The kind of file that another program decodes; nil for what libsndfile decodes itself.
  private let name: String?
  /// The frames in the bytes that are there, where the header promises more.
  let foundFrameCount: FrameCount?
  /// The frame behind the last one read.
  private var position = 0

  /// What is known of the end of the bytes once it has been met.
  struct Ending {
    var isCutOff = false
    /// Why nothing more came; nil where nothing was to come.
    var reason: String?
  }

  /// Opens a part of a file.
  ///
  /// - Parameter promise: what the header promises where that is more than is there.
  init(
    _ file: FilePart, path: String, promise: FrameCount? = nil, isCutOff: Bool = false
  ) throws {
    var info = SF_INFO()
    handle = try SoundFileHandle(VirtualFile(file), mode: Int32(SFM_READ), info: &info)
    let stored = handle.storedLayout(info, head: file.bytes(at: 0, count: 64))
    (format, order) = try Self.format(info, path: path, stored)
    let count = info.frames
    let found = count < 0 || count == Int64.max ? nil : FrameCount(Int(count))
    announcedFrameCount = promise ?? found
    foundFrameCount = promise == nil ? nil : found
    name = nil
    isSeekable = info.seekable != 0
    (self.info, self.path, self.file) = (info, path, file)
    ending = { Ending(isCutOff: isCutOff) }
  }

  /// Opens a pipe, which is read from its beginning to its end.
  ///
  /// - Parameters:
  ///   - isPromise: whether its header has a length.
  ///   - name: what another program decodes into the pipe; nil where nothing does.
  ///   - ending: is asked at the end of the pipe.
  init(
    pipe: Descriptor, path: String, isPromise: Bool = false, name: String? = nil,
    ending: @escaping @Sendable () -> Ending = { Ending() }
  ) throws {
    var info = SF_INFO()
    handle = try SoundFileHandle(stream: pipe, info: &info)
    (format, order) = try Self.format(info, path: path, handle.storedLayout(info))
    announcedFrameCount = isPromise ? FrameCount(Int(info.frames)) : nil
    (isSeekable, foundFrameCount, self.name) = (false, nil, name)
    (self.info, self.path, file) = (info, path, nil)
    self.ending = ending
  }

  /// Refuses a rate or a number of channels that no audio has.
  static func check(rate: Int, channels: Int, path: String) throws(SoundFileError) {
    guard rates.contains(rate), channelCounts.contains(channels) else {
      throw .damaged(
        path: path, frame: 0,
        reason: "its header says \(channels) channels at \(rate) Hz; "
          + "\(channelCounts.upperBound) channels at \(rates.upperBound) Hz are the most")
    }
  }

  private static func format(
    _ info: SF_INFO, path: String, _ stored: ChannelLayout
  ) throws(SoundFileError) -> (AudioFormat, order: ChannelMix?) {
    let (rate, channels) = (Int(info.samplerate), Int(info.channels))
    try check(rate: rate, channels: channels, path: path)
    let ours = stored.inWAVOrder
    let usual = ChannelLayout.wav(channels)
    let order = ChannelMix(from: stored, to: ours)
    // Surround is called rear or side: where each channel serves as the usual one, it is that.
    let isUsual = ChannelMix(from: ours, to: usual).isIdentity
    return (
      AudioFormat(sampleRate: SampleRate(hertz: rate), layout: isUsual ? usual : ours),
      order.isIdentity ? nil : order
    )
  }

  var isCutOff: Bool { ending().isCutOff }

  /// The corresponding C command is `SFC_GET_FORMAT_INFO`.
  var encodingDescription: String {
    if let name { return name }
    let container = info.format & Int32(SF_FORMAT_TYPEMASK)
    let encoding = info.format & Int32(SF_FORMAT_SUBMASK)
    return [container, encoding].compactMap(formatName).joined(separator: ", ")
  }

  var tags: [AudioTag: String] { handle.tags }

  var cues: [AudioCue] { handle.cues }

  var bitsPerSample: Int? { name == nil ? info.storedSamples?.bits : nil }

  var samples: SoundFileEncoding.SampleFormat? { name == nil ? info.storedSamples?.format : nil }

  func read(_ target: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    let count = handle.read(target, frames: frames)
    order?.apply(inPlace: target, frames: max(0, count))
    position += max(0, count)
    return count
  }

  func seek(to frame: Int) -> Bool {
    guard handle.seek(to: frame) else { return false }
    position = frame
    return true
  }

  /// Behind what was promised is something else, a tag for example, and no damage to the audio.
  private var isComplete: Bool { announcedFrameCount.map { position >= $0.rawValue } ?? false }

  func failure(at frame: FrameCount) -> SoundFileError? {
    if let code = file?.failureCode, code != 0 { return SystemErrors.reading(path, code: code) }
    if let failure = handle.failure, failure.code == SF_ERR_SYSTEM || !isComplete {
      return LibraryErrors.reading(path, failure, at: frame)
    }
    return ending().reason.map { .damaged(path: path, frame: frame, reason: $0) }
  }
}

extension SF_INFO {
  /// The bits of a sample as they are stored, and the samples that hold them.
  fileprivate var storedSamples: (bits: Int, format: SoundFileEncoding.SampleFormat)? {
    switch Int(format) & SF_FORMAT_SUBMASK {
    case SF_FORMAT_PCM_S8, SF_FORMAT_PCM_U8, SF_FORMAT_ULAW, SF_FORMAT_ALAW, SF_FORMAT_DPCM_8:
      (8, .int16)
    case SF_FORMAT_PCM_16, SF_FORMAT_DWVW_16, SF_FORMAT_DPCM_16, SF_FORMAT_ALAC_16: (16, .int16)
    case SF_FORMAT_ALAC_20: (20, .int24)
    case SF_FORMAT_PCM_24, SF_FORMAT_DWVW_24, SF_FORMAT_ALAC_24: (24, .int24)
    case SF_FORMAT_PCM_32, SF_FORMAT_ALAC_32: (32, .int32)
    case SF_FORMAT_FLOAT: (32, .float)
    case SF_FORMAT_DOUBLE: (64, .float)
    default: nil
    }
  }
}

private func formatName(_ format: Int32) -> String? {
  var description = SF_FORMAT_INFO(format: format, name: nil, extension: nil)
  let size = Int32(MemoryLayout<SF_FORMAT_INFO>.size)
  guard sf_command(nil, Int32(SFC_GET_FORMAT_INFO), &description, size) == 0 else { return nil }
  return description.name.map { String(cString: $0) }
}
