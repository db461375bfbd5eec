import AudioCore
import AudioThreads
import CSndFile

/// The stored bits per sample, and the sample format that holds the samples; 64-bit samples are
/// rounded.
typealias StoredSamples = (bits: Int, format: SoundFileEncoding.SampleFormat)

extension SoundFileEncoding.SampleFormat {
  /// Returns the smallest format that holds integers of `bits` bits, at most 32.
  static func integers(_ bits: Int) -> Self { bits <= 16 ? .int16 : bits <= 24 ? .int24 : .int32 }
}

/// A decoder for one file or stream, used by one thread at a time.
protocol SoundDecoder: AnyObject {
  var format: AudioFormat { get }

  /// The length in the header; nil if there is none, as in a stream, or in an MP3 file without a
  /// tag.
  var announcedFrameCount: FrameCount? { get }

  /// The human-readable names of container and encoding.
  var encodingDescription: String { get }

  /// The stored bits per sample, and their sample format; nil for a lossy codec.
  var stored: StoredSamples? { get }

  /// The tags, cues, and pictures that the decoder has found.
  var metadata: AudioMetadata { get }

  /// The title that a live stream announced last; nil for a file.
  var streamTitle: String? { get }

  /// Notices about the file; complete once the file is read.
  var notices: [SoundFileNotice] { get }

  var isSeekable: Bool { get }

  /// Returns the announced length if it exceeds `decoded`; called at the end, and may take time.
  func promise(exceeding decoded: FrameCount) -> FrameCount?

  /// Whether the end of the file is missing, regardless of the announced length; valid after the
  /// last frame was read.
  var isCutOff: Bool { get }

  /// The new format, if the format changes after the last decoded frame; otherwise nil.
  var formatChange: String? { get }

  /// Decodes the next frames; fewer than requested only at the end and before a failure.
  func read(_ target: UnsafeMutablePointer<Float>, frames: Int) -> Int

  /// Seeks to a frame; returns false if it cannot be found.
  func seek(to frame: Int) -> Bool

  /// Returns the reason that the last read ended at this frame; nil at the normal end.
  func failure(at frame: FrameCount) -> SoundFileError?
}

extension SoundDecoder {
  var notices: [SoundFileNotice] { [] }
  var isCutOff: Bool { false }
  var formatChange: String? { nil }
  var stored: StoredSamples? { nil }
  var metadata: AudioMetadata { AudioMetadata() }
  var streamTitle: String? { nil }

  func promise(exceeding decoded: FrameCount) -> FrameCount? {
    announcedFrameCount.flatMap { decoded < $0 ? $0 : nil }
  }
}

/// Decodes the formats of libsndfile.
final class LibraryDecoder: SoundDecoder {
  /// The permitted sample rates; higher rates would need too much memory.
  private static let rates = 1...768_000
  private static let channelCounts = 1...256

  let format: AudioFormat
  let announcedFrameCount: FrameCount?
  let isSeekable: Bool

  private let handle: SoundFileHandle
  /// The mix from the file's channel order to that of WAV files; nil if the orders are equal.
  private let order: ChannelMix?
  private let info: SF_INFO
  private let path: String
  private let file: FilePart?
  // Properties of a WAV file that libsndfile ignores. `WAVLayout` itself is not kept, because its
  // chunks may be large.
  private let isPadded: Bool
  private let isLow: Bool
  private let isUnfinished: Bool
  private let ending: @Sendable () -> Ending
  /// The kind of file that another program decodes; nil if libsndfile decodes it.
  private let name: String?
  /// The actual number of frames, if the header announces more.
  let foundFrameCount: FrameCount?
  /// The frame after the last frame that was read.
  private var position = 0
  /// Whether any audio was decoded.
  private var hasDecoded = false

  /// The end of the received bytes: whether the file is truncated, and the reason that bytes are
  /// missing (nil if all expected bytes arrived).
  typealias Ending = (isCutOff: Bool, reason: String?)

  /// Opens a part of a file.
  ///
  /// `promise` is the announced length if it exceeds the file's length. `raw` is the format of a
  /// file without a header.
  init(
    _ file: FilePart, promise: FrameCount? = nil, isCutOff: Bool = false,
    layout: WAVLayout? = nil, raw: RawAudioFormat? = nil
  ) throws {
    var info = raw.map { SF_INFO($0) } ?? SF_INFO()
    handle = try SoundFileHandle(VirtualFile(file), mode: Int32(SFM_READ), info: &info)
    let stored = handle.storedLayout(info, head: file.bytes(at: 0, count: 64))
    (format, order) = try Self.format(info, path: file.path, stored)
    let found = FrameCount(announced: Int(info.frames))
    announcedFrameCount = promise ?? found
    foundFrameCount = promise == nil ? nil : found
    name = nil
    isSeekable = info.seekable != 0
    (self.info, path, self.file) = (info, file.path, file)
    (isPadded, isLow) = (layout?.isPadded == true, layout?.isLow == true)
    isUnfinished = layout?.isUnfinished == true
    ending = { (isCutOff, nil) }
  }

  /// Opens a pipe for sequential reading.
  ///
  /// If `isPromise` is true, the pipe's header announces a length. `name` is the kind of file that
  /// another program decodes into the pipe; nil if the pipe contains the file itself. `raw` is the
  /// format of a pipe without a header. `ending` is called at the end of the pipe.
  init(
    pipe: Descriptor, path: String, isPromise: Bool = false, name: String? = nil,
    layout: WAVLayout? = nil, raw: RawAudioFormat? = nil,
    ending: @escaping @Sendable () -> Ending = { (false, nil) }
  ) throws {
    var info = raw.map { SF_INFO($0) } ?? SF_INFO()
    handle = try SoundFileHandle(stream: pipe, info: &info)
    (format, order) = try Self.format(info, path: path, handle.storedLayout(info))
    announcedFrameCount = isPromise ? FrameCount(announced: Int(info.frames)) : nil
    (isSeekable, foundFrameCount, self.name) = (false, nil, name)
    (self.info, self.path, file) = (info, path, nil)
    (isPadded, isLow) = (layout?.isPadded == true, layout?.isLow == true)
    isUnfinished = layout?.isUnfinished == true
    self.ending = ending
  }

  /// Rejects implausible rates and channel counts.
  static func check(rate: Int, channels: Int, path: String) throws(SoundFileError) {
    guard rates.contains(rate), channelCounts.contains(channels) else {
      throw .damaged(
        path: path, frame: 0,
        reason: "its header announces \(channels) channels at \(rate) Hz; "
          + "the maximum is \(channelCounts.upperBound) channels at \(rates.upperBound) Hz")
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
    // Some files name the surround channels rear, others side; an equivalent layout becomes the
    // usual layout.
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

  var metadata: AudioMetadata { AudioMetadata(tags: handle.tags, cues: handle.cues) }

  var stored: StoredSamples? {
    guard name == nil else { return nil }
    return isPadded ? (24, .int24) : info.storedSamples
  }

  var notices: [SoundFileNotice] { isUnfinished ? [.unfinishedHeader] : [] }

  func read(_ target: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    let count = handle.read(target, frames: frames)
    if count > 0 { hasDecoded = true }
    if isLow { raise(target, count: max(0, count) * format.channelCount) }
    order?.apply(inPlace: target, frames: max(0, count))
    position += max(0, count)
    return count
  }

  /// Scales samples in the low three bytes to full scale.
  ///
  /// If the fourth byte lacks the sign, the sign is restored. If the header is wrong, the fourth
  /// byte may have any value, so the result is limited.
  private func raise(_ target: UnsafeMutablePointer<Float>, count: Int) {
    for index in 0..<count {
      let sample = target[index] * 256
      target[index] = max(-1, min(1, sample < 1 ? sample : sample - 2))
    }
  }

  func seek(to frame: Int) -> Bool {
    // A file that cannot be decoded, such as a file without frames, can only be at frame 0.
    guard isDecodable else { return frame == 0 }
    guard handle.seek(to: frame) else { return false }
    position = frame
    return true
  }

  /// Whether a seek is safe: with an unusable Vorbis setup, libvorbis reads at address 0.
  ///
  /// The corresponding C function is `vorbis_synthesis_trackonly`.
  private var isDecodable: Bool {
    guard Int(info.format) & SF_FORMAT_SUBMASK == SF_FORMAT_VORBIS, !hasDecoded else { return true }
    // The test frame is read with a separate decoder, because a read can make this decoder's next
    // libsndfile seek land on the wrong frame.
    var frame = [Float](repeating: 0, count: format.channelCount)
    guard let file, let other = try? LibraryDecoder(file) else { return false }
    hasDecoded = other.read(&frame, frames: 1) > 0
    return hasDecoded
  }

  /// Whether all announced audio was read; errors in later bytes, such as a tag, are not damage.
  private var isComplete: Bool { announcedFrameCount.map { position >= $0.rawValue } ?? false }

  func failure(at frame: FrameCount) -> SoundFileError? {
    if let failure = file?.readFailure { return failure }
    if let failure = handle.failure, failure.code == SF_ERR_SYSTEM || !isComplete {
      return failure.reading(path, at: frame)
    }
    return ending().reason.map { .damaged(path: path, frame: frame, reason: $0) }
  }
}

extension SF_INFO {
  /// The stored bits per sample, and the sample format that holds them.
  fileprivate var storedSamples: StoredSamples? {
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
