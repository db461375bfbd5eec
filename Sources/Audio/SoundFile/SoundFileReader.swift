public import AudioCore
public import AudioThreads
import FilePaths
public import FoundationEssentials

/// Reads a sound file from its beginning or from any frame.
///
/// It reads the formats of libsndfile (WAV, AIFF, AU, CAF, Ogg Vorbis, Opus, and more), FLAC, and
/// MPEG audio (MP3). With FFmpeg, it also reads FFmpeg's formats (AAC, M4A, WMA, WavPack, Speex,
/// and more) and files on the web.
///
/// The length in a header is often wrong; `framesRead` at the end is the actual length.
/// Concatenated files are read as one if the container supports it (Ogg, FLAC, MP3).
///
/// Its methods block while the file is read: call them on your own thread, or use
/// `SoundFile.buffers(of:)`. Thread safety: one thread at a time.
public final class SoundFileReader {
  /// The sample rate, and the channels with the header's positions or the usual positions.
  public let format: AudioFormat

  /// The length in the header, which may be wrong; nil if the header has none, as in a stream.
  public let announcedFrameCount: FrameCount?

  /// The human-readable container and encoding, as libsndfile names them.
  public let encodingDescription: String

  /// The stored bits per sample; nil for a lossy codec.
  public var bitsPerSample: Int? { decoder.stored?.bits }

  /// The sample format that holds the stored samples; nil for a lossy codec.
  ///
  /// For a file that FFmpeg decodes, this property starts ffprobe. Without ffprobe, the format is
  /// known only for WavPack, Monkey's Audio, True Audio, and FLAC in Ogg.
  public var samples: SoundFileEncoding.SampleFormat? { decoder.stored?.format }

  /// The tags, pictures, cues, and chapters of the file, which are read at their first use.
  ///
  /// For a file that FFmpeg decodes, ffprobe is started to read the chapters. For a stream, only
  /// the metadata before the audio is available.
  public var metadata: AudioMetadata { stored.value(of: decoder) }

  /// The latest title of a live stream on the web (ICY); nil for a file.
  package var streamTitle: String? { decoder.streamTitle }

  /// Notices about the file that do not mean missing audio; complete once the file is read.
  public var notices: [SoundFileNotice] { decoder.notices }

  /// Whether the reader can seek to any frame.
  public var isSeekable: Bool { decoder.isSeekable }

  /// The index of the next frame to read.
  public private(set) var position: FrameCount = 0

  /// The index of the frame after the decoded audio; at the end, the actual length of the file.
  public private(set) var framesRead: FrameCount = 0

  /// Whether a read has reached the end of the file.
  public private(set) var hasReachedEnd = false

  private var damage: SoundFileError?
  private let path: String
  let decoder: any SoundDecoder
  let stored: StoredMetadata
  /// The size of the file in bytes; nil for a stream.
  private(set) var byteCount: Int?

  /// Opens a file; a named pipe or device is read as a stream, like a file descriptor.
  ///
  /// FFmpeg reads the audio at a web address (http, https) as it arrives.
  ///
  /// - Parameters:
  ///   - url: the file, or a web address.
  ///   - raw: the format of a file without a header; nil if the file has a header, or one of the
  ///     extensions that `RawAudioFormat.init(pathExtension:)` accepts.
  ///   - interruption: ends a stream at once when it is signaled; files do not need it.
  /// - Throws: `SoundFileError`, which describes the problem with the file.
  public convenience init(
    url: URL, raw: RawAudioFormat? = nil, interruption: WakeUp? = nil
  ) throws {
    if let address = url.webAddress {
      try RawAudioFormat.check(raw, address: address)
      try self.init(
        openDecoder(address: address, interruption: interruption ?? WakeUp()),
        path: address)
    } else {
      let path = FilePath(url)
      let descriptor = try Descriptor.reading(path.text)
      try self.init(
        descriptor, path: path.text,
        raw: raw ?? descriptor.rawFormat(pathExtension: path.pathExtension),
        interruption: interruption)
    }
  }

  /// Reads from a descriptor, for example 0 for standard input; the descriptor stays open.
  ///
  /// A pipe is read as it is written. CAF, W64, and other formats that need seeking are first
  /// copied to a temporary file of up to 2 GiB. A stream is not seekable.
  ///
  /// - Parameters:
  ///   - fileDescriptor: a file or a pipe that is open for reading.
  ///   - name: the descriptor's name in error messages.
  ///   - raw: the format of audio without a header; nil if the audio has a header.
  ///   - interruption: ends the stream at once when it is signaled.
  /// - Throws: `SoundFileError`, which describes the problem with the stream.
  public convenience init(
    fileDescriptor: Int32, name: String = "standard input", raw: RawAudioFormat? = nil,
    interruption: WakeUp? = nil
  ) throws {
    let descriptor = try Descriptor.duplicate(fileDescriptor, path: name)
    try self.init(descriptor, path: name, raw: raw, interruption: interruption)
  }

  /// Reads a file that a writer has just completed.
  convenience init(writtenTo descriptor: Descriptor, path: String) throws(SoundFileError) {
    descriptor.rewind()
    try self.init(descriptor.decoder(path: path), path: path)
  }

  private convenience init(
    _ descriptor: Descriptor, path: String, raw: RawAudioFormat?, interruption: WakeUp?
  ) throws {
    let (interruption, stored) = (try interruption ?? WakeUp(), StoredMetadata())
    try self.init(
      descriptor.decoder(path: path, raw: raw, interruption: interruption, metadata: stored),
      path: path, stored)
    byteCount = descriptor.fileSize
  }

  private init(
    _ decoder: any SoundDecoder, path: String, _ stored: StoredMetadata = StoredMetadata()
  ) {
    (self.path, self.decoder, self.stored) = (path, decoder, stored)
    format = decoder.format
    announcedFrameCount = decoder.announcedFrameCount
    encodingDescription = decoder.encodingDescription
  }

  /// The announced frames that are missing; nil before the end of the file, and if none are
  /// missing.
  public var shortfall: SoundFileShortfall? {
    guard hasReachedEnd else { return nil }
    let promise = decoder.promise(exceeding: framesRead)
    let change = decoder.formatChange.map { "the format changes from \(format) to \($0)" }
    guard promise != nil || decoder.isCutOff || change != nil else { return nil }
    return SoundFileShortfall(
      announced: promise, decoded: framesRead, sampleRate: format.sampleRate, reason: change)
  }

  /// Reads the next frames as Float32, with the channels in the order of WAV files.
  ///
  /// It does not allocate.
  ///
  /// - Parameter target: room for at least one frame; only whole frames are written.
  /// - Returns: the number of frames, which may be less than the room; 0 at the end.
  /// - Throws: `.damaged` or `.cannotRead`, after the frames before the damage were returned.
  ///
  /// The corresponding C function is `sf_readf_float`.
  public func read(
    into target: UnsafeMutableBufferPointer<Float>
  ) throws(SoundFileError) -> FrameCount {
    let room = target.count / format.channelCount
    precondition(room > 0, "there is no room for a frame of \(format.channelCount) channels")
    guard let start = target.baseAddress else { return 0 }
    if let damage { throw damage }
    let count = decoder.read(start, frames: room)
    let end = position + FrameCount(count)
    if count < room, let failure = decoder.failure(at: end) {
      // If there are frames before the damage, this read returns them, and the next read throws.
      // The error is kept until then, because libsndfile clears its own error at the next call.
      damage = failure
      if let damage, count == 0 { throw damage }
    }
    hasReachedEnd = count < room
    position = end
    framesRead = max(framesRead, position)
    return FrameCount(count)
  }

  /// Seeks to a frame; the end of the audio is a valid position if the format supports it.
  ///
  /// - Throws: `.notSeekable` for a stream, `.damaged` if libsndfile cannot find the frame.
  ///
  /// The corresponding C function is `sf_seek`.
  public func seek(to frame: FrameCount) throws(SoundFileError) {
    guard decoder.isSeekable else { throw .notSeekable(path: path) }
    guard decoder.seek(to: frame.rawValue) else {
      throw .damaged(path: path, frame: frame, reason: "this frame cannot be found")
    }
    position = frame
    hasReachedEnd = false
    damage = nil
  }
}

extension SoundFileReader {
  /// Reads the next frames as a buffer, which is empty at the end.
  ///
  /// - Parameter count: the maximum number of frames, above 0; a call returns at most a million
  ///   samples.
  /// - Throws: `.damaged` or `.cannotRead`, after the frames before the damage were returned.
  public func read(atMost count: FrameCount) throws(SoundFileError) -> AudioBuffer {
    precondition(count > .zero, "a buffer holds at least 1 frame, not \(count.rawValue)")
    let channels = format.channelCount
    let frames = min(count.rawValue, max(1, (1 << 20) / channels))
    let first = position
    var failure: SoundFileError?
    let samples = [Float](unsafeUninitializedCapacity: frames * channels) { target, size in
      // Uses only the requested part, because the array may have allocated more.
      let asked = UnsafeMutableBufferPointer(rebasing: target[..<(frames * channels)])
      do throws(SoundFileError) {
        size = try read(into: asked).rawValue * channels
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return AudioBuffer(format: format, samples: samples, firstFrame: first)
  }
}
