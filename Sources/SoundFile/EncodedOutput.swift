import AudioCore
import CSndFile

/// Writes what libsndfile writes: all but WAV and Vorbis.
final class EncodedOutput: SoundFileOutput {
  private(set) var framesWritten: FrameCount = 0

  private let file: GrowingFile
  private let format: AudioFormat
  private let encoding: SoundFileEncoding
  private let largestSize: Int
  private var handle: SoundFileHandle?
  private var converter: BlockConverter
  private var lengthTag = MP3LengthTag()
  private var hasFailed = false

  /// - Parameter largestAIFF: in bytes; the sizes in an AIFF file have 32 bits.
  init(
    _ file: GrowingFile, format: AudioFormat, encoding: SoundFileEncoding,
    tags: [AudioTag: String] = [:], largestAIFF: Int = 0xFFFF_FFFF
  ) throws(SoundFileError) {
    (self.file, self.format, self.encoding) = (file, format, encoding)
    largestSize = encoding.container == .aiff ? largestAIFF : .max
    converter = BlockConverter(format, encoding)
    do throws(LibraryFailure) {
      handle = try SoundFileHandle(
        writing: VirtualFile(file), format: format, encoding: encoding, tags: tags)
    } catch {
      throw file.failure ?? LibraryErrors.writing(file.path, error)
    }
    if let failure = file.failure { throw failure }
    // libsndfile has written a header with room for peaks. The first frames bring a shorter one, and
    // what is left of the longer one would count as frames.
    if encoding.updatesHeader { file.truncate(to: 0) }
  }

  deinit {
    // libsndfile writes into the file until its handle is closed.
    _ = finish()
  }

  func write(_ samples: UnsafeBufferPointer<Float>) throws(SoundFileError) {
    var rest = samples[...]
    while !rest.isEmpty {
      let block = UnsafeBufferPointer(rebasing: rest.prefix(converter.capacity))
      let size = block.count * encoding.sampleCoding.byteCount
      guard file.length <= largestSize - size else { throw .tooLarge(path: file.path) }
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
    let error = file.failure ?? failure.map { LibraryErrors.writing(file.path, $0) }
    hasFailed = error != nil || written != frames
    if let error { throw error }
    guard written == frames else {
      let asked = framesWritten + FrameCount(frames - written)
      throw .incomplete(path: file.path, written: asked, found: framesWritten)
    }
    if encoding.container == .mp3 { lengthTag.update(file) }
  }

  func updateHeader() throws(SoundFileError) {
    guard encoding.updatesHeader else { return }
    handle?.updateHeader()
    if let failure = file.failure { throw failure }
  }

  func finish() -> SoundFileError? {
    guard let open = handle.take() else { return nil }
    let closing = open.close()
    guard !hasFailed, !file.isCut else {
      countWhatIsThere()
      return nil
    }
    if let failure = file.failure ?? closing.map({ LibraryErrors.writing(file.path, $0) }) {
      countWhatIsThere()
      return failure
    }
    return nil
  }

  /// After a failure an encoder does not know what has reached the disk: a decoder does.
  private func countWhatIsThere() {
    // Without an encoder each frame was in the file when libsndfile had taken it.
    guard encoding.sampleSize == nil || file.isCut else { return }
    file.truncate(to: file.wholeLength)
    if encoding.container == .mp3 { lengthTag.settle(file) }
    framesWritten = storedFrameCount(file, atMost: framesWritten, rate: format.sampleRate)
  }
}

/// The frames that can be read from a file whose encoder was given `written` frames.
func storedFrameCount(
  _ file: GrowingFile, atMost written: FrameCount, rate: SampleRate
) -> FrameCount {
  // More than any encoder holds back; a recording of hours is not decoded from its beginning.
  let last = min(written, FrameCount(.seconds(90), at: rate))
  return min(written, storedFrameCount(file.descriptor, path: file.path, from: written - last))
}

/// The frames that can be read from a file, decoded one by one from `start` on.
///
/// From the beginning where there is no such frame.
func storedFrameCount(
  _ descriptor: Descriptor, path: String, from start: FrameCount = 0
) -> FrameCount {
  guard let reader = try? SoundFileReader(writtenTo: descriptor, path: path) else { return 0 }
  guard start > 0 else { return lastFrame(reader) }
  if (try? reader.seek(to: start)) != nil, case let last = lastFrame(reader), last > start {
    return last
  }
  return storedFrameCount(descriptor, path: path)
}

/// Reads to the end and returns its offset.
private func lastFrame(_ reader: SoundFileReader) -> FrameCount {
  let room = 4_096 * reader.format.channelCount
  return withUnsafeTemporaryAllocation(of: Float.self, capacity: room) { block in
    // An end that is damaged is an end all the same.
    while let count = try? reader.read(into: block), count > 0 {}
    return reader.framesRead
  }
}

/// One way to turn samples into a file.
protocol SoundFileOutput: AnyObject {
  /// The frames that were taken; after `finish`, those that can be read.
  var framesWritten: FrameCount { get }

  /// Writes interleaved samples, whole frames.
  func write(_ samples: UnsafeBufferPointer<Float>) throws(SoundFileError)

  /// Has the file readable up to here, as far as that can be done while writing: its header is
  /// brought up to date, or what is held back is written.
  func updateHeader() throws(SoundFileError)

  /// Completes the file, also after a failure; what is wrong with it then, nil where nothing is.
  ///
  /// Again it does nothing.
  func finish() -> SoundFileError?
}

/// Notices an encoder that takes sound and writes nothing.
struct EncoderWatch {
  private let patience: Duration
  private var size = 0
  private var lastGrowth: FrameCount = 0
  private var hasSound = false

  /// - Parameter patience: the sound that may be in the encoder and not in the file.
  init(patience: Duration) {
    self.patience = patience
  }

  /// Takes what the encoder was given into account.
  mutating func add(_ samples: UnsafeBufferPointer<Float>) {
    // One step of 16 bits: what is quieter may well take no byte.
    if !hasSound { hasSound = samples.contains { abs($0) > 1.0 / 32_768 } }
  }

  /// Looks at the file.
  ///
  /// - Parameters:
  ///   - frames: those that the encoder was given.
  ///   - size: of the file, in bytes.
  /// - Returns: the frames that it was given when the file last grew, where that is too long ago.
  mutating func lastFrame(
    at frames: FrameCount, rate: SampleRate, size newSize: Int
  ) -> FrameCount? {
    guard newSize == size, hasSound else {
      (size, lastGrowth, hasSound) = (newSize, frames, false)
      return nil
    }
    return (frames - lastGrowth).duration(at: rate) >= patience ? lastGrowth : nil
  }
}
