public import AudioCore
public import AudioThreads
import FilePaths
public import FoundationEssentials

/// Reads a sound file, from its beginning or from any frame.
///
/// It reads what libsndfile knows (WAV, AIFF, AU, CAF, Ogg Vorbis, Opus and more), FLAC, and MPEG
/// audio (MP3). With FFmpeg installed it also reads what FFmpeg knows (AAC, M4A, WMA, WavPack,
/// Speex and more), and files on the web.
///
/// The length in a header is often wrong; what was decoded, `framesRead` at the end, is the truth.
/// Files that were put one after another are read as one where containers allow that (Ogg, FLAC,
/// MP3).
///
/// Its methods block while the file is read: call them on a thread of your own, or use
/// `SoundFile.buffers(of:)`. Thread safety: one thread at a time.
public final class SoundFileReader {
  /// Rate and channels of the file, at the positions that its header names, or else the usual ones.
  public let format: AudioFormat

  /// The length in the header, which may be wrong; nil if the header has none, as in a stream.
  public let announcedFrameCount: FrameCount?

  /// Container and encoding, human-readable, as libsndfile names them.
  public let encodingDescription: String

  /// The bits of a sample as stored; nil for a lossy coder.
  public var bitsPerSample: Int? { decoder.bitsPerSample }

  /// The samples that hold all that is stored, as far as there are such; nil for a lossy coder.
  public var samples: SoundFileEncoding.SampleFormat? { decoder.samples }

  /// The texts that the file carries, as far as its header has them.
  public var tags: [AudioTag: String] { decoder.tags }

  /// Whether the reader can go to any frame.
  public var isSeekable: Bool { decoder.isSeekable }

  /// The index of the frame that is read next.
  public private(set) var position: FrameCount = 0

  /// The end of what has been decoded: after the last frame, the true length of the file.
  public private(set) var framesRead: FrameCount = 0

  /// Whether a read has met the end of the file.
  public private(set) var hasReachedEnd = false

  private var damage: SoundFileError?
  private let path: String
  let decoder: any SoundDecoder

  /// Opens a file; a named pipe or device is read as a stream, like a file descriptor.
  ///
  /// A file on the web (http, https) is read by FFmpeg, as it comes.
  ///
  /// - Parameters:
  ///   - url: the file, or an address on the web.
  ///   - interruption: when it is signaled, a stream ends at once; files do not need it.
  /// - Throws: `SoundFileError`, which describes what is wrong with the file.
  public convenience init(url: URL, interruption: WakeUp? = nil) throws {
    if let address = url.webAddress {
      try self.init(
        SoundFileInput.open(address: address, interruption: interruption ?? WakeUp()),
        path: address)
    } else {
      let path = FilePath(url).text
      try self.init(Descriptor.reading(path), path: path, interruption: interruption)
    }
  }

  /// Reads from a descriptor, for example 0 for standard input, which stays open for its owner.
  ///
  /// A pipe is read while it is written. CAF, W64 and other formats that need seeking are first
  /// copied to a temporary file, up to 2 GiB. A stream is not seekable.
  ///
  /// - Parameters:
  ///   - fileDescriptor: a file or a pipe that is open for reading.
  ///   - name: what error messages call it.
  ///   - interruption: when it is signaled, the stream ends at once.
  /// - Throws: `SoundFileError`, which describes what is wrong with the stream.
  public convenience init(
    fileDescriptor: Int32, name: String = "standard input", interruption: WakeUp? = nil
  ) throws {
    let descriptor = try Descriptor.duplicate(fileDescriptor, path: name)
    try self.init(descriptor, path: name, interruption: interruption)
  }

  /// Reads what a writer has just completed.
  convenience init(writtenTo descriptor: Descriptor, path: String) throws {
    descriptor.rewind()
    try self.init(descriptor, path: path, interruption: nil)
  }

  private convenience init(_ descriptor: Descriptor, path: String, interruption: WakeUp?) throws {
    let interruption = try interruption ?? WakeUp()
    try self.init(
      SoundFileInput.open(descriptor, path: path, interruption: interruption), path: path)
  }

  private init(_ decoder: any SoundDecoder, path: String) {
    (self.path, self.decoder) = (path, decoder)
    format = decoder.format
    announcedFrameCount = decoder.announcedFrameCount
    encodingDescription = decoder.encodingDescription
  }

  /// What the header promised and the file did not hold; nil before the end, and where it was true.
  public var shortfall: SoundFileShortfall? {
    guard hasReachedEnd else { return nil }
    let promise = announcedFrameCount.flatMap { framesRead < $0 ? $0 : nil }
    guard promise != nil || decoder.isCutOff else { return nil }
    return SoundFileShortfall(
      announced: promise, decoded: framesRead, sampleRate: format.sampleRate)
  }

  /// Reads the next frames into memory; it neither allocates nor converts but to Float32, with the
  /// channels in the order of WAV files.
  ///
  /// - Parameter target: room for at least one frame; a part of a frame at its end is left alone.
  /// - Returns: the number of frames; fewer than there is room for, and at last 0, at the end.
  /// - Throws: `.damaged` or `.cannotRead`, once the frames before the damage have been given.
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
      damage = failure
      // libsndfile forgets its errors at the next call; the frames before this one come first.
      if let damage, count == 0 { throw damage }
    }
    hasReachedEnd = count < room
    position = end
    framesRead = max(framesRead, position)
    return FrameCount(count)
  }

  /// Goes to a frame; one past the end is allowed where the format allows it, and reads nothing.
  ///
  /// - Throws: `.notSeekable` for a stream, `.damaged` where libsndfile cannot find the frame.
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
  /// Reads the next frames as a buffer; an empty one at the end.
  ///
  /// - Parameter count: above 0; of very many, only the first million samples come at once.
  /// - Throws: `.damaged` or `.cannotRead`, once the frames before the damage have been given.
  public func read(atMost count: FrameCount) throws(SoundFileError) -> AudioBuffer {
    let channels = format.channelCount
    let frames = min(count.rawValue, max(1, (1 << 20) / channels))
    let first = position
    var failure: SoundFileError?
    let samples = [Float](unsafeUninitializedCapacity: frames * channels) { target, size in
      // The array may have taken more room than asked for: what was asked for counts.
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
