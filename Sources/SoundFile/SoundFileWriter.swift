public import AudioCore
public import FoundationEssentials

/// Writes a sound file: WAV, FLAC, Ogg Vorbis or Opus.
///
/// Samples beyond full scale are clipped, and 16-bit samples that were read are written as they
/// were. The header of a WAV file is brought up to date after every second of audio, so that a
/// process that is killed leaves a file which lacks at most the last second; the other formats lack
/// less than a block by themselves.
///
/// Its methods block while the file is written: call them on a thread of your own. Thread safety:
/// one thread at a time.
public final class SoundFileWriter {
  /// Rate and channels of the file.
  public let format: AudioFormat

  /// Container and encoding of the file.
  public let encoding: SoundFileEncoding

  /// The frames written so far.
  public private(set) var framesWritten: FrameCount = 0

  private let path: String
  private let descriptor: Descriptor
  private var handle: SoundFileHandle?
  private var converter: BlockConverter
  private var headerClock: HeaderClock
  private var hasFailed = false

  /// Makes a file, or replaces the one that is there.
  ///
  /// - Throws: `SoundFileError.unsupportedFormat` before the file is touched;
  ///   `.notFound`, `.isDirectory`, `.permissionDenied`, `.diskFull` or `.cannotWrite`.
  public init(
    url: URL, format: AudioFormat, encoding: SoundFileEncoding
  ) throws(SoundFileError) {
    try SoundFileHandle.check(format, encoding: encoding)
    path = url.path
    (self.format, self.encoding) = (format, encoding)
    descriptor = try Descriptor.writing(path)
    converter = BlockConverter(coding: encoding.sampleCoding, channelCount: format.channelCount)
    headerClock = HeaderClock(rate: format.sampleRate, isUsed: encoding.updatesHeader)
    do throws(LibraryFailure) {
      handle = try SoundFileHandle(writing: descriptor, format: format, encoding: encoding)
    } catch {
      throw LibraryErrors.writing(path, error)
    }
  }

  /// Writes a buffer; its place on the time-line does not matter.
  ///
  /// - Throws: as `write(_: UnsafeBufferPointer<Float>)`, and `.wrongFormat`.
  public func write(_ buffer: AudioBuffer) throws(SoundFileError) {
    guard buffer.format == format else {
      throw .wrongFormat(expected: format, actual: buffer.format)
    }
    // The pointer lives for the call only: every sample is written when it returns.
    try buffer.samples.withUnsafeBufferPointer { samples throws(SoundFileError) in
      try write(samples)
    }
  }

  /// Writes interleaved samples, whole frames of them, without allocating.
  ///
  /// - Throws: `.diskFull`, `.tooLarge`, `.cannotWrite` or `.closed`; what was written before stays
  ///   readable, and `framesWritten` counts it: `close` the file.
  public func write(_ samples: UnsafeBufferPointer<Float>) throws(SoundFileError) {
    precondition(
      samples.count.isMultiple(of: format.channelCount),
      "\(samples.count) samples are not whole frames of \(format.channelCount) channels")
    guard handle != nil else { throw .closed(path: path) }
    try checkLength(adding: samples.count)
    var rest = samples[...]
    while !rest.isEmpty {
      let block = UnsafeBufferPointer(rebasing: rest.prefix(converter.capacity))
      try writeBlock(block)
      rest = rest.dropFirst(block.count)
    }
  }

  private func writeBlock(_ block: UnsafeBufferPointer<Float>) throws(SoundFileError) {
    let frames = block.count / format.channelCount
    var written = 0
    let failure = handle?.checked { handle in
      written = converter.write(block, frames: frames, to: handle)
    }
    framesWritten = framesWritten + FrameCount(max(0, min(written, frames)))
    hasFailed = failure != nil || written != frames
    if let failure { throw LibraryErrors.writing(path, failure) }
    guard written == frames else {
      throw .incomplete(
        path: path, written: framesWritten + FrameCount(frames - written), found: framesWritten)
    }
    if headerClock.isDue(at: framesWritten) { handle?.updateHeader() }
  }

  /// Says no to more than a WAV file's 32-bit sizes can tell.
  private func checkLength(adding samples: Int) throws(SoundFileError) {
    guard let bytesPerSample = encoding.bytesPerSample else { return }
    let total = framesWritten.rawValue * format.channelCount + samples
    guard total * bytesPerSample < 0xFFFF_F000 else { throw .tooLarge(path: path) }
  }

  /// Completes the file, has the disk store it, and checks that all of it is there.
  ///
  /// A second call does nothing. After a write that failed, it completes what there is. Where it is
  /// not called, the file is completed without the checks when the writer is released.
  ///
  /// - Throws: `.diskFull`, `.cannotWrite`, or `.incomplete` where the file is too short.
  public func close() throws(SoundFileError) {
    guard let open = handle.take() else { return }
    // What a failed write has lost was said then.
    if let failure = open.close(), !hasFailed { throw LibraryErrors.writing(path, failure) }
    try descriptor.synchronise(path: path)
    try checkCompleteness()
  }

  /// MP3 and other encoders report nothing when the disk is full: look at what is there.
  private func checkCompleteness() throws(SoundFileError) {
    // What a failed write has lost was said then.
    guard descriptor.isRegularFile, framesWritten > 0, !hasFailed else { return }
    let found = try storedFrames()
    guard found >= framesWritten else {
      throw .incomplete(path: path, written: framesWritten, found: found)
    }
  }

  private func storedFrames() throws(SoundFileError) -> FrameCount {
    if let bytesPerSample = encoding.bytesPerSample {
      return FrameCount(descriptor.size / (bytesPerSample * format.channelCount))
    }
    do {
      return try SoundFileReader(writtenTo: descriptor, path: path).announcedFrameCount ?? 0
    } catch let error as SoundFileError {
      throw error
    } catch {
      throw .cannotRead(path: path, reason: "\(error)")
    }
  }
}
