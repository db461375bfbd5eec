public import AudioCore
import FilePaths
public import FoundationEssentials
import Glibc

/// Writes a sound file: WAV, AIFF, AU, CAF, FLAC, Ogg Vorbis, Opus or MP3.
///
/// Samples beyond full scale are clipped. 16 bit get the noise of TPDF dither, but samples that
/// were read from 16 bit are written as they were. A WAV file becomes RF64 by itself where it
/// grows past 4 GiB.
///
/// After every half second of audio the header is brought up to date, or the page of Ogg Vorbis is
/// written though it is not full, and after every second the disk is asked, on a thread of its own,
/// to store what is there, so that a process that is killed leaves a file which lacks at most the
/// last second. Below 1.6 kHz FLAC lacks more, a block of 1,152 frames and a quarter of a second.
/// Python's `wave` reads neither RF64 nor float, and three channels and more from 3.12 on, because
/// their positions are in the header: SoX, FFmpeg and libsndfile read all of them.
///
/// Its methods block while the file is written: call them on a thread of your own. Thread safety:
/// one thread at a time.
public final class SoundFileWriter {
  /// Rate and channels of the file.
  public let format: AudioFormat

  /// Container and encoding of the file.
  public let encoding: SoundFileEncoding

  /// The frames written so far; after `close`, those that can be read from the file.
  ///
  /// 0 when the file was removed and could not be saved.
  public var framesWritten: FrameCount { framesLeft ?? output.framesWritten }

  /// The size of the file so far, which lags behind by what an encoder holds back.
  public var byteCount: Int { file.length }

  /// The bytes that are left on the disk for this user; nil where there is no disk to ask.
  public var freeSpace: Int? { file.descriptor.isRegularFile ? file.descriptor.freeSpace : nil }

  private let file: GrowingFile
  private let output: any SoundFileOutput
  private var clock: SecondClock
  private var encoder: EncoderWatch?
  private let makeSync: (Descriptor, String) throws -> DataSync
  private let rescue: (Descriptor, String) -> String?
  private var sync: DataSync?
  private var framesLeft: FrameCount?
  private var hasFailed = false
  private var isClosed = false
  /// Whether the file appears at its name only when it is closed.
  private let isAtomic: Bool

  /// Makes a file, or one that replaces the one that is there.
  ///
  /// That stays as it is until the first half second of audio is written, or all of a shorter file:
  /// what fails before leaves it untouched.
  ///
  /// - Parameters:
  ///   - url: where the file is made.
  ///   - format: the sample rate and the channels of what is written.
  ///   - encoding: the container and how samples are stored.
  ///   - replacesExisting: whether a file of this name may be replaced; where it may not,
  ///   no other program can make one meanwhile. The corresponding flag of `open` is `O_EXCL`.
  ///   - isAtomic: whether nothing appears, and what is there stays, until `close` has succeeded.
  ///   - tags: the texts that the file carries, as far as its container does.
  /// - Throws: `SoundFileError.unsupportedFormat` before the file is touched; `.notFound`,
  ///   `.isDirectory`, `.alreadyExists`, `.inUse`, `.permissionDenied`, `.diskFull` or `.cannotWrite`.
  public convenience init(
    url: URL, format: AudioFormat, encoding: SoundFileEncoding, replacesExisting: Bool = true,
    isAtomic: Bool = false, tags: [AudioTag: String] = [:]
  ) throws(SoundFileError) {
    try self.init(
      url: url, format: format, encoding: encoding, replacesExisting: replacesExisting,
      isAtomic: isAtomic, tags: tags, largestWAV: WAVFileHeader.largestSize)
  }

  /// - Parameter largestWAV: in bytes, where a WAV file becomes RF64.
  convenience init(
    url: URL, format: AudioFormat, encoding: SoundFileEncoding, replacesExisting: Bool = true,
    isAtomic: Bool = false, tags: [AudioTag: String] = [:], largestWAV: Int
  ) throws(SoundFileError) {
    try encoding.check(format)
    let file = try GrowingFile(
      path: FilePath(url).text, replacesExisting: replacesExisting, isAtomic: isAtomic)
    let output: any SoundFileOutput
    do throws(SoundFileError) {
      output = try Self.output(file, format, encoding, tags, largestWAV: largestWAV)
    } catch {
      file.discard()
      throw error
    }
    self.init(file, output: output, format: format, encoding: encoding, isAtomic: isAtomic)
  }

  private static func output(
    _ file: GrowingFile, _ format: AudioFormat, _ encoding: SoundFileEncoding,
    _ tags: [AudioTag: String], largestWAV: Int
  ) throws(SoundFileError) -> any SoundFileOutput {
    switch encoding.container {
    case .wav:
      try WAVFileOutput(
        file,
        header: WAVFileHeader(
          format: format, samples: encoding.sampleCoding, tags: tags, largestSize: largestWAV))
    case .vorbis: try VorbisOutput(file, format: format, tags: tags)
    default: try EncodedOutput(file, format: format, encoding: encoding, tags: tags)
    }
  }

  /// Writes into `file` by way of `output`, has the disk store it by way of `makeSync`, and what
  /// others remove saved by way of `rescue`.
  init(
    _ file: GrowingFile, output: any SoundFileOutput, format: AudioFormat,
    encoding: SoundFileEncoding, isAtomic: Bool = false,
    makeSync: @escaping (Descriptor, String) throws -> DataSync = DataSync.init(_:path:),
    rescue: @escaping (Descriptor, String) -> String? = FileRescue.save(_:path:)
  ) {
    (self.file, self.output, self.format, self.encoding) = (file, output, format, encoding)
    (self.makeSync, self.rescue, self.isAtomic) = (makeSync, rescue, isAtomic)
    clock = SecondClock(rate: format.sampleRate)
    // At the lowest rates it is the encoder's block that takes its time.
    let blocks = FrameCount(16_384).duration(at: format.sampleRate)
    encoder = encoding.patience.map { EncoderWatch(patience: max($0, blocks)) }
  }

  deinit {
    sync?.end()
    guard !isAtomic, !isClosed, !hasFailed, framesWritten > 0, output.finish() == nil
    else { return }
    // No caller is left to whom an error could be reported.
    try? file.publish()
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

  /// Writes interleaved samples, whole frames of them, without allocating but once a second.
  ///
  /// - Throws: `.diskFull`, `.tooLarge` or `.cannotWrite`; what was written before stays readable,
  ///   and `framesWritten` counts it after `close`. Where the file has gone from its folder,
  ///   `.recovered` with the file that it was saved to, or `.removed` where it could not be: then
  ///   it is closed. `.incomplete` where others have cut it or its encoder writes nothing, and
  ///   `.closed`.
  public func write(_ samples: UnsafeBufferPointer<Float>) throws(SoundFileError) {
    precondition(
      samples.count.isMultiple(of: format.channelCount),
      "\(samples.count) samples are not whole frames of \(format.channelCount) channels")
    guard !isClosed else { throw .closed(path: file.path) }
    do throws(SoundFileError) {
      // Before the write: after a truncation it would leave a gap and make the file as long as before.
      if !isAtomic { try checkLoss() }
      try output.write(samples)
      encoder?.add(samples)
      try lookAfter(clock.care(at: framesWritten))
    } catch {
      hasFailed = true
      throw error
    }
  }

  /// Completes the file, has the disk store it, and checks that all of it is there.
  ///
  /// A second call does nothing. After a write that failed, it completes what there is, and throws
  /// only where others have removed or cut that since; a file that was to be replaced by less than
  /// half a second of audio stays then. Where `close` is not called, a file with audio is completed
  /// without the checks when the writer is released.
  ///
  /// - Throws: `.diskFull`, `.cannotWrite`, `.recovered`, `.removed`, or `.incomplete` where the
  ///   file is too short.
  public func close() throws(SoundFileError) {
    guard !isClosed else { return }
    isClosed = true
    sync?.end()
    defer {
      // What never got its name goes.
      if file.isPending { framesLeft = 0 }
      file.release()
    }
    let written = framesWritten
    // Before it is completed, which would make it grow over a cut.
    let loss = acceptLoss()
    // Whatever else has gone wrong: without a name there soon is no file.
    if loss == .removed { throw completeRemoved() }
    let failure = output.finish()
    // Linux reports a block that it could not store only once: a second `fsync` would succeed.
    if let sync { file.note(failureCode: sync.failureCode) }
    // The loss of a failed write was reported then.
    if let failure, !hasFailed { throw failure }
    let unstored: SoundFileError?
    do throws(SoundFileError) {
      try file.descriptor.synchronize(path: file.path)
      unstored = nil
    } catch {
      unstored = error
    }
    if loss != nil { throw .incomplete(path: file.path, written: written, found: framesWritten) }
    guard !hasFailed else { return try checkLoss() }
    if let unstored { throw unstored }
    try file.publish()
    try check()
    try checkCompleteness()
  }

  /// Gives up a file without audio: one that it was to replace stays, and a new one is removed.
  ///
  /// After `close` it does nothing.
  public func discard() {
    guard !isClosed else { return }
    isClosed = true
    sync?.end()
    framesLeft = 0
    file.discard()
    file.release()
  }

  /// Twice a second what would be lost; once a second the disk, and whether the file is still
  /// there.
  private func lookAfter(_ care: SecondClock.Care) throws(SoundFileError) {
    guard care != .nothing else { return }
    // Nobody reads the file, or keeps a part of it, before it is complete.
    guard !isAtomic else { return try checkEncoder() }
    try output.updateHeader()
    try file.publish()
    guard care == .everything else { return }
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
    if sync == nil { sync = try? makeSync(file.descriptor, file.path) }
    // Without a thread for it, which the system refuses to a user who has too many, it waits here.
    guard let sync else { return file.synchronize() }
    sync.request()
    file.note(failureCode: sync.failureCode)
  }

  private func check() throws(SoundFileError) {
    if let failure = file.failure { throw failure }
    try checkLoss()
  }

  private func checkLoss() throws(SoundFileError) {
    let (written, length) = (framesWritten, file.length)
    guard let loss = acceptLoss() else { return }
    if loss == .removed { throw completeRemoved() }
    // Frames times bytes are more than a number holds after some hours.
    let product = written.rawValue.multipliedFullWidth(by: file.length)
    let found = max(1, length).dividingFullWidth(product).quotient
    throw .incomplete(path: file.path, written: written, found: FrameCount(found))
  }

  /// Counts only what others have left.
  private func acceptLoss() -> FileLoss? {
    let loss = file.loss()
    if case .cut(let size) = loss { file.accept(cut: size) }
    return loss
  }

  /// The file has no name any more: it is completed while the descriptor keeps it, and saved.
  ///
  /// `framesWritten` does not count an end for which the disk has no room.
  private func completeRemoved() -> SoundFileError {
    isClosed = true
    sync?.end()
    let size = file.descriptor.size
    if size < file.length { file.accept(cut: size) }
    _ = output.finish()
    if framesWritten > 0, let copy = rescue(file.descriptor, file.path) {
      return .recovered(path: file.path, copy: copy)
    }
    framesLeft = 0
    return .removed(path: file.path)
  }

  /// Encoders report little when something goes wrong: look at what is there.
  private func checkCompleteness() throws(SoundFileError) {
    guard file.descriptor.isRegularFile, framesWritten > 0 else { return }
    guard encoding.container != .wav else { return }
    let found = try announcedFrames()
    guard found >= framesWritten else {
      throw .incomplete(path: file.path, written: framesWritten, found: found)
    }
  }

  private func announcedFrames() throws(SoundFileError) -> FrameCount {
    do {
      return try SoundFileReader(writtenTo: file.descriptor, path: file.path)
        .announcedFrameCount ?? 0
    } catch let error as SoundFileError {
      throw error
    } catch {
      throw .cannotRead(path: file.path, reason: "\(error)")
    }
  }
}
