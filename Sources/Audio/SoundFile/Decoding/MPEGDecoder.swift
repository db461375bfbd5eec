import AudioCore
import CMPG123
import FilePaths
import Glibc

/// Decodes MPEG audio, usually MP3, up to the last block of the file.
///
/// libsndfile also uses libmpg123, but trusts a length that is estimated from the first blocks or
/// stored in the first of several tags. It also lets libmpg123 write to standard error.
final class MPEGDecoder: SoundDecoder {
  let format: AudioFormat
  let announcedFrameCount: FrameCount?
  let encodingDescription: String
  let isSeekable: Bool
  let notices: [SoundFileNotice]

  private let handle: OpaquePointer
  /// The source for libmpg123, retained until the handle is closed.
  private let source: UnsafeMutablePointer<VirtualFile>
  private let path: String
  private let isTruncated: Bool
  private var status = MPG123_OK.rawValue

  /// Opens MPEG audio.
  ///
  /// `name` contains the human-readable names of container and encoding. `hasLength` is false if a
  /// tag without a length would make libmpg123 estimate a length. If `isTruncated` is true, the
  /// container announces more bytes than there are.
  ///
  /// - Throws: `.notAudio` if no block can be decoded.
  init(
    _ source: VirtualFile, path: String, name: String = "MPEG audio", isTruncated: Bool = false,
    notices: [SoundFileNotice] = [], hasLength: Bool = true
  ) throws(SoundFileError) {
    guard let handle = Self.handle(isSeekable: source.isSeekable) else {
      throw .cannotRead(path: path, reason: "no memory for a decoder is left")
    }
    let retained = UnsafeMutablePointer.makeCallbackMemory(source)
    var (rate, channels, encoding) = (0, Int32(0), Int32(0))
    guard mpg123_open_handle(handle, retained) == MPG123_OK.rawValue,
      mpg123_getformat(handle, &rate, &channels, &encoding) == MPG123_OK.rawValue,
      rate > 0, channels > 0
    else {
      mpg123_delete(handle)
      retained.releaseCallbackMemory()
      throw source.failure ?? .notAudio(path: path)
    }
    (self.handle, self.source, self.path) = (handle, retained, path)
    (isSeekable, self.notices) = (source.isSeekable, notices)
    (encodingDescription, self.isTruncated) = (name, isTruncated)
    format = AudioFormat(sampleRate: SampleRate(hertz: rate), channelCount: Int(channels))
    // The length in a tag; negative if there is no tag, because the file size is unknown.
    let length = mpg123_length(handle)
    // After the first block, bytes that cannot be decoded, such as a tag with a picture, are
    // skipped.
    mpg123_param2(handle, Int32(MPG123_RESYNC_LIMIT.rawValue), -1, 0)
    announcedFrameCount = hasLength && length > 0 ? FrameCount(announced: length) : nil
  }

  deinit {
    mpg123_delete(handle)
    source.releaseCallbackMemory()
  }

  private static func handle(isSeekable: Bool) -> OpaquePointer? {
    mpg123_init()
    guard let handle = mpg123_new(nil, nil) else { return nil }
    var flags =
      MPG123_QUIET.rawValue | MPG123_FORCE_FLOAT.rawValue | MPG123_NO_PEEK_END.rawValue
    if isSeekable { flags |= MPG123_FORCE_SEEKABLE.rawValue }
    // `mpg123_param` is a macro for `mpg123_param2`.
    mpg123_param2(handle, Int32(MPG123_ADD_FLAGS.rawValue), Int(flags), 0)
    mpg123_param2(
      handle, Int32(MPG123_REMOVE_FLAGS.rawValue), Int(MPG123_AUTO_RESAMPLE.rawValue), 0)
    mpg123_param2(handle, Int32(MPG123_RESYNC_LIMIT.rawValue), FileKind.mostBytesBeforeMPEG, 0)
    mpg123_replace_reader_handle(
      handle,
      { source, bytes, count in
        virtualFile(source).read(into: UnsafeMutableRawBufferPointer(start: bytes, count: count))
      },
      { source, offset, origin in virtualFile(source).seek(offset, from: origin) }, nil)
    return handle
  }

  func read(_ target: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    let frameSize = format.channelCount * MemoryLayout<Float>.size
    var done = 0
    // A call returns at most one block, so the calls are repeated.
    while done < frames, status == MPG123_OK.rawValue {
      var count = 0
      status = mpg123_read(
        handle, UnsafeMutableRawPointer(target + done * format.channelCount),
        (frames - done) * frameSize, &count)
      // A call that reports a new format still returns the last samples of the old format.
      done += count / frameSize
    }
    return done
  }

  /// Counts the frames of a file block by block without decoding; nil on failure.
  ///
  /// The corresponding C function is `mpg123_scan`.
  func countFrames() -> FrameCount? {
    guard isSeekable, mpg123_scan(handle) == MPG123_OK.rawValue else { return nil }
    let length = mpg123_length(handle)
    return FrameCount(announced: length)
  }

  func seek(to frame: Int) -> Bool {
    status = MPG123_OK.rawValue
    return mpg123_seek(handle, frame, SEEK_SET) == frame
  }

  /// Whether the container announces bytes that are missing, or the last block is incomplete.
  var isCutOff: Bool {
    isTruncated || isInBlock
  }

  /// Whether the source has ended within a block.
  private var isInBlock: Bool {
    status == MPG123_ERR.rawValue && mpg123_errcode(handle) == Int32(MPG123_ERR_READER.rawValue)
  }

  var formatChange: String? {
    guard status == MPG123_NEW_FORMAT.rawValue else { return nil }
    var (rate, channels, encoding) = (0, Int32(0), Int32(0))
    mpg123_getformat(handle, &rate, &channels, &encoding)
    return rate > 0 && channels > 0
      ? "\(AudioFormat(sampleRate: SampleRate(hertz: rate), channelCount: Int(channels)))"
      : "another one"
  }

  func failure(at frame: FrameCount) -> SoundFileError? {
    if let failure = source.pointee.failure { return failure }
    switch status {
    case MPG123_OK.rawValue, MPG123_DONE.rawValue: return nil
    case MPG123_ERR.rawValue where isInBlock: return nil
    case MPG123_NEW_FORMAT.rawValue: return nil
    default:
      let reason = String(cString: mpg123_strerror(handle))
      return .damaged(path: path, frame: frame, reason: reason)
    }
  }
}

/// The four-byte header of an MP3 block, which MPEG calls a frame.
struct MPEGFrameHeader: Equatable {
  /// The number of bytes from this block to the next.
  let byteCount: Int
  /// The offset of the encoded audio, after the decoder's side information.
  let contentOffset: Int
  let hertz: Int
  let isMono: Bool

  /// Whether the block with the header `other` can follow this block in a stream.
  func hasFormat(of other: Self) -> Bool { hertz == other.hertz && isMono == other.isMono }

  /// - Returns: nil if the block is invalid, or has a sample rate that Syrinx does not write.
  init?(_ bits: UInt32) {
    let (synchronization, layer3) = (0x7FF as UInt32, 0b01 as UInt32)
    guard bits >> 21 == synchronization, bits >> 17 & 0b11 == layer3 else { return nil }
    let isMPEG1 = bits >> 19 & 0b11 == 0b11
    guard isMPEG1 || bits >> 19 & 0b11 == 0b10 else { return nil }
    let (bitRate, sampleRate) = (Int(bits >> 12 & 0xF), Int(bits >> 10 & 0b11))
    guard (1...14).contains(bitRate), sampleRate < 3 else { return nil }
    let kilobits = (isMPEG1 ? mpeg1BitRates : mpeg2BitRates)[bitRate - 1]
    hertz = [44_100, 48_000, 32_000][sampleRate] / (isMPEG1 ? 1 : 2)
    let padding = Int(bits >> 9 & 1)
    byteCount = (isMPEG1 ? 144_000 : 72_000) * kilobits / hertz + padding
    isMono = bits >> 6 & 0b11 == 0b11
    let hasChecksum = bits >> 16 & 1 == 0
    let information = isMPEG1 ? (isMono ? 17 : 32) : (isMono ? 9 : 17)
    contentOffset = 4 + (hasChecksum ? 2 : 0) + information
  }
}

private let mpeg1BitRates = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
private let mpeg2BitRates = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
