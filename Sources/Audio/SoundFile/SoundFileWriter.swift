public import AudioCore
package import AudioThreads
import FilePaths
public import FoundationEssentials
import Glibc

/// Writes a sound file: WAV, AIFF, AU, CAF, FLAC, Ogg Vorbis, Opus, or MP3.
///
/// Samples beyond full scale are clipped. Samples are rounded to 16 bits with TPDF dither, but
/// samples read from 16 bits are unchanged. A WAV file becomes RF64 beyond 4 GiB. An Opus or MP3
/// file without audio gets one frame of silence.
///
/// After every half second of audio, the header is updated, or an incomplete page of Ogg Vorbis is
/// written. After every second, the data is flushed to the disk in the background. A process that
/// is killed leaves a file that lacks at most the last second. FLAC below 1.6 kHz lacks at most a
/// block of 1,152 frames plus a quarter of a second. `SoundFileEncoding.Container.wav` lists the
/// limits of Python's `wave`.
///
/// Its methods block while the file is written: call them on your own thread. Thread safety: one
/// thread at a time.
public final class SoundFileWriter {
  /// The sample rate and channels of the file.
  public let format: AudioFormat

  /// The container and sample format of the file.
  public let encoding: SoundFileEncoding

  /// The metadata that the file could not store; complete after `close`.
  public internal(set) var notices: [SoundFileNotice] = []

  /// The number of frames written; after `close`, the number of readable frames.
  ///
  /// It is 0 if the file was removed and could not be saved.
  public var framesWritten: FrameCount { framesLeft ?? output.framesWritten }

  /// The size of the file in bytes, without the audio in the encoder's buffer.
  public var byteCount: Int { file.length }

  /// The free space on the disk for this user, in bytes; nil if the output is not a file on a disk.
  public var freeSpace: Int? { file.descriptor.isRegularFile ? file.descriptor.freeSpace : nil }

  private let file: GrowingFile
  private let output: any SoundFileOutput
  private var halfSeconds: FrameClock
  private var seconds: FrameClock
  private var encoder: EncoderWatch?
  private let makeSync: (Descriptor, String) throws -> DataSync
  private let rescue: (Descriptor, String) -> String?
  private var sync: DataSync?
  private var framesLeft: FrameCount?
  private var hasFailed = false
  private var isClosed = false
  /// Whether the file appears at its name only when it is closed.
  private let isAtomic: Bool

  /// Creates a file, or a replacement of an existing file.
  ///
  /// The existing file is replaced once half a second of audio is written, or when a shorter file
  /// is closed. An earlier failure leaves the existing file unchanged.
  ///
  /// - Parameters:
  ///   - url: the path of the file.
  ///   - format: the sample rate and channels of the audio.
  ///   - encoding: the container and sample format.
  ///   - replacesExisting: whether an existing file may be replaced. If false, creation is
  ///     exclusive: the corresponding flag of `open` is `O_EXCL`.
  ///   - isAtomic: whether the file appears, or replaces an existing file, only when `close` has
  ///     succeeded.
  ///   - metadata: the tags, pictures, cues, and chapters of the file; `notices` reports those that
  ///     its container cannot hold.
  /// - Throws: `SoundFileError.unsupportedFormat` before the file is touched; `.noFolder`,
  ///   `.isDirectory`, `.alreadyExists`, `.inUse`, `.permissionDenied`, `.diskFull`, or
  ///   `.cannotWrite`.
  public convenience init(
    url: URL, format: AudioFormat, encoding: SoundFileEncoding, replacesExisting: Bool = true,
    isAtomic: Bool = false, metadata: AudioMetadata = AudioMetadata()
  ) throws(SoundFileError) {
    try self.init(
      url: url, format: format, encoding: encoding, replacesExisting: replacesExisting,
      isAtomic: isAtomic, metadata: metadata, largestWAV: WAVFileHeader.largestSize)
  }

  /// Creates a file; the flushes run on `threads`, or on the file's own thread if it is nil.
  package convenience init(
    url: URL, format: AudioFormat, encoding: SoundFileEncoding, replacesExisting: Bool,
    flushingOn threads: ThreadPool?
  ) throws(SoundFileError) {
    try self.init(
      url: url, format: format, encoding: encoding, replacesExisting: replacesExisting,
      largestWAV: WAVFileHeader.largestSize, flushingOn: threads)
  }

  /// Creates a file; a WAV file that exceeds `largestWAV` bytes becomes RF64.
  convenience init(
    url: URL, format: AudioFormat, encoding: SoundFileEncoding, replacesExisting: Bool = true,
    isAtomic: Bool = false, metadata: AudioMetadata = AudioMetadata(), largestWAV: Int,
    flushingOn threads: ThreadPool? = nil
  ) throws(SoundFileError) {
    try encoding.check(format)
    let file = try GrowingFile(
      path: FilePath(url).text, replacesExisting: replacesExisting, isAtomic: isAtomic)
    let stored = encoding.container.storable(
      metadata, at: format.sampleRate, isStream: false)
    let output: any SoundFileOutput
    do throws(SoundFileError) {
      output = try Self.output(file, format, encoding, stored.metadata, largestWAV: largestWAV)
    } catch {
      file.claim.discard()
      throw error
    }
    self.init(
      file, output: output, format: format, encoding: encoding, isAtomic: isAtomic,
      makeSync: { try DataSync($0, path: $1, on: threads) })
    notices = stored.notices
  }

  static func output(
    _ file: GrowingFile, _ format: AudioFormat, _ encoding: SoundFileEncoding,
    _ metadata: AudioMetadata, largestWAV: Int
  ) throws(SoundFileError) -> any SoundFileOutput {
    switch encoding.container {
    case .wav:
      try WAVFileOutput(
        file,
        header: WAVFileHeader(
          format: format, samples: encoding.sampleCoding,
          extra: metadata.wavChunks(at: format.sampleRate), largestSize: largestWAV))
    case .vorbis: try VorbisOutput(file, format: format, metadata: metadata)
    default: try EncodedOutput(file, format: format, encoding: encoding, metadata: metadata)
    }
  }

  /// Writes to `file` through `output`.
  ///
  /// `makeSync` starts the flushes to the disk, and `rescue` saves a removed file.
  init(
    _ file: GrowingFile, output: any SoundFileOutput, format: AudioFormat,
    encoding: SoundFileEncoding, isAtomic: Bool = false,
    makeSync: @escaping (Descriptor, String) throws -> DataSync = { try DataSync($0, path: $1) },
    rescue: @escaping (Descriptor, String) -> String? = { $0.rescue(path: $1) }
  ) {
    (self.file, self.output, self.format, self.encoding) = (file, output, format, encoding)
    (self.makeSync, self.rescue, self.isAtomic) = (makeSync, rescue, isAtomic)
    let half = FrameCount((format.sampleRate.hertz + 1) / 2)
    (halfSeconds, seconds) = (FrameClock(every: half), FrameClock(every: half * 2))
    // At the lowest sample rates, an encoder's blocks last longer than `longestDelay`, so the
    // longer of the two is used.
    let blocks = FrameCount(16_384).duration(at: format.sampleRate)
    encoder = encoding.longestDelay.map { EncoderWatch(longestDelay: max($0, blocks)) }
  }

  deinit {
    sync?.end()
    guard !isAtomic, !isClosed, !hasFailed, framesWritten > 0, output.finish() == nil
    else { return }
    // The error is dropped, because a `deinit` cannot report it.
    try? file.claim.publish()
  }

  /// Writes a buffer; its frame index is ignored.
  ///
  /// - Throws: the errors of `write(_: UnsafeBufferPointer<Float>)`, and `.wrongFormat`.
  public func write(_ buffer: AudioBuffer) throws(SoundFileError) {
    guard buffer.format == format else {
      throw .wrongFormat(expected: format, actual: buffer.format)
    }
    // The pointer is valid only during the call, which writes every sample before it returns.
    try buffer.samples.withUnsafeBufferPointer { samples throws(SoundFileError) in
      try write(samples)
    }
  }

  /// Writes whole frames of interleaved samples; the writer allocates at most once a second.
  ///
  /// - Throws: `.diskFull`, `.tooLarge`, or `.cannotWrite`; earlier audio stays readable, and
  ///   `framesWritten` counts it after `close`. If the file was removed: `.recovered` with the path
  ///   of the copy, or `.removed` if there is no copy; the writer is then closed. `.incomplete` if
  ///   another program truncated the file, or if the encoder writes nothing. `.closed` after
  ///   `close`.
  public func write(_ samples: UnsafeBufferPointer<Float>) throws(SoundFileError) {
    precondition(
      samples.count.isMultiple(of: format.channelCount),
      "\(samples.count) samples are not whole frames of \(format.channelCount) channels")
    guard !isClosed else { throw .closed(path: file.path) }
    do throws(SoundFileError) {
      // This is checked first, because writing after a truncation would leave a gap and hide the
      // truncation.
      if !isAtomic { try checkLoss() }
      try output.write(samples)
      encoder?.add(samples)
      try update()
    } catch {
      hasFailed = true
      throw error
    }
  }

  /// Completes the file, flushes it to the disk, and checks that it is complete.
  ///
  /// A second call has no effect. After a failed write, `close` completes the earlier audio, and
  /// throws only if another program has since removed or truncated the file. An existing file is
  /// then replaced only if at least half a second of audio was written. Releasing the writer
  /// without `close` completes a file that has audio, but skips the checks.
  ///
  /// - Throws: `.diskFull`, `.cannotWrite`, `.recovered`, `.removed`, or `.incomplete` if the file
  ///   is too short.
  public func close() throws(SoundFileError) {
    guard !isClosed else { return }
    isClosed = true
    sync?.end()
    defer {
      // An unpublished file disappears when it is closed, so none of its frames can be read.
      if file.claim.isPending { framesLeft = 0 }
      file.claim.release()
    }
    let written = framesWritten
    // A removed file disappears when it is closed, so this check comes before all others.
    if file.isRemoved { throw completeRemoved() }
    // This is checked before the file is completed, because completing it could hide a truncation.
    let isCut = acceptCut()
    let failure = output.finish()
    notices += output.notices
    // Linux reports a failed write only once, so a second `fsync` would succeed. The failure of the
    // background flush is therefore recorded here.
    if let sync { file.note(failureCode: sync.failureCode) }
    // If a write failed, its error has already been thrown.
    if let failure, !hasFailed { throw failure }
    let storing = Result { () throws(SoundFileError) in
      try file.descriptor.synchronize(path: file.path)
    }
    if isCut { throw .incomplete(path: file.path, written: written, found: framesWritten) }
    guard !hasFailed else { return try checkLoss() }
    try storing.get()
    try check()
    // This check precedes `publish`, so an incomplete file never replaces a complete file.
    try checkCompleteness()
    try file.claim.publish()
  }

  /// Discards a file without audio: an existing file stays, and a new file is removed.
  ///
  /// After `close` it has no effect.
  public func discard() {
    guard !isClosed else { return }
    isClosed = true
    sync?.end()
    framesLeft = 0
    file.claim.discard()
    file.claim.release()
  }

  /// Makes the audio readable after every half second.
  ///
  /// After every second, it also flushes the file to the disk and checks that the file exists.
  private func update() throws(SoundFileError) {
    guard halfSeconds.isDue(at: framesWritten) else { return }
    let isSecond = seconds.isDue(at: framesWritten)
    // An atomic file has no readers before it is complete, so its header is not updated.
    guard !isAtomic else { return try checkEncoder() }
    try output.updateHeader()
    try file.claim.publish()
    guard isSecond else { return }
    synchronize()
    try check()
    try checkEncoder()
  }

  private func checkEncoder() throws(SoundFileError) {
    let found = encoder?.lastFrame(at: framesWritten, rate: format.sampleRate, size: file.length)
    guard let found = found ?? nil else { return }
    throw .incomplete(path: file.path, written: framesWritten, found: found)
  }

  private func synchronize() {
    guard !file.isStream else { return }
    if sync == nil { sync = try? makeSync(file.descriptor, file.path) }
    // If background flushes are unavailable, the flush blocks here.
    guard let sync else { return file.synchronize() }
    sync.request()
    file.note(failureCode: sync.failureCode)
  }

  private func check() throws(SoundFileError) {
    if let failure = file.failure { throw failure }
    try checkLoss()
  }

  private func checkLoss() throws(SoundFileError) {
    if file.isRemoved { throw completeRemoved() }
    let (written, length) = (framesWritten, file.length)
    guard acceptCut() else { return }
    // After some hours of audio, the product of frames and bytes exceeds 64 bits, so it is computed
    // at full width.
    let product = written.rawValue.multipliedFullWidth(by: file.length)
    let found = max(1, length).dividingFullWidth(product).quotient
    throw .incomplete(path: file.path, written: written, found: FrameCount(found))
  }

  /// If another process has truncated the file, adopts the shorter length and returns true;
  /// otherwise returns false.
  private func acceptCut() -> Bool {
    guard let size = file.cutSize else { return false }
    file.accept(cut: size)
    return true
  }

  /// Completes a removed file, whose data the open descriptor keeps, and saves a copy.
  ///
  /// If the disk has no room for the end of the audio, `framesWritten` excludes that part.
  private func completeRemoved() -> SoundFileError {
    isClosed = true
    sync?.end()
    let size = file.descriptor.size
    if size < file.length { file.accept(cut: size) }
    // Without audio, the encoder adds a frame of silence, which is not worth saving.
    let hasAudio = framesWritten > 0
    _ = output.finish()
    if hasAudio, framesWritten > 0, let copy = rescue(file.descriptor, file.path) {
      return .recovered(path: file.path, copy: copy)
    }
    framesLeft = 0
    return .removed(path: file.path)
  }

  /// Checks the length of the completed file, because encoders report few failures.
  private func checkCompleteness() throws(SoundFileError) {
    guard !file.isStream, file.descriptor.isRegularFile, framesWritten > 0 else { return }
    guard encoding.container != .wav else { return }
    do throws(SoundFileError) {
      let reader = try SoundFileReader(writtenTo: file.descriptor, path: file.path)
      let found = reader.announcedFrameCount ?? 0
      guard found >= framesWritten else {
        throw .incomplete(path: file.path, written: framesWritten, found: found)
      }
    } catch {
      guard file.claim.isPending else { throw error }
      throw .cannotWrite(
        path: file.path,
        reason: "the new file lacks audio and was discarded; an existing file is unchanged")
    }
  }
}
