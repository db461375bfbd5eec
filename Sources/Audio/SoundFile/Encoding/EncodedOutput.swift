import AudioCore
import AudioThreads
import CSndFile

/// Writes the formats that libsndfile encodes: all except WAV and Vorbis.
final class EncodedOutput: SoundFileOutput {
  private(set) var framesWritten: FrameCount = 0

  private let file: GrowingFile
  private let format: AudioFormat
  private let encoding: SoundFileEncoding
  private let largestSize: Int
  private var handle: SoundFileHandle?
  private var converter: BlockConverter
  private var lengthTag: MP3LengthTag
  private var hasFailed = false
  /// The storage of a FLAC file; after the last frame, the audio's length is added to the cue
  /// sheet.
  private var flac: CommentedFLAC?
  /// The chunks after the audio of an AIFF file.
  private var tail: [UInt8] = []
  private(set) var notices: [SoundFileNotice] = []

  /// Creates an output.
  ///
  /// An AIFF file has at most `largestAIFF` bytes, because its sizes have 32 bits.
  init(
    _ file: GrowingFile, format: AudioFormat, encoding: SoundFileEncoding,
    metadata: AudioMetadata = AudioMetadata(), largestAIFF: Int = 0xFFFF_FFFF
  ) throws(SoundFileError) {
    (self.file, self.format, self.encoding) = (file, format, encoding)
    largestSize = encoding.container == .aiff ? largestAIFF : .max
    converter = BlockConverter(format, encoding)
    let isMP3 = encoding.container == .mp3
    let rate = format.sampleRate
    let head = isMP3 ? metadata.id3Tag(at: rate) : []
    _ = head.withUnsafeBytes { file.append($0) }
    lengthTag = MP3LengthTag(from: head.count)
    var virtual = VirtualFile(file, from: head.count)
    switch encoding.container {
    case .mp3 where file.isStream: virtual = VirtualFile(StreamedMP3(file))
    case .flac where !metadata.isEmpty:
      let storage = CommentedFLAC(file, metadata, rate: rate)
      flac = storage
      virtual = VirtualFile(storage)
    case .opus where !metadata.isEmpty:
      virtual = VirtualFile(CommentedOpus(file, metadata, rate: rate))
    case .aiff: tail = metadata.aiffChunks(at: rate)
    default: break
    }
    do throws(LibraryFailure) {
      handle = try SoundFileHandle(
        writing: virtual, format: format, encoding: encoding,
        tags: encoding.updatesHeader ? metadata.tags : [:])
    } catch {
      throw file.failure ?? error.writing(file.path)
    }
    if let failure = file.failure { throw failure }
    // libsndfile's first header has room for peaks, but its next header is shorter. The difference
    // would count as frames, and a file without frames would get wrong sizes. So the file is
    // emptied, and the header is written again.
    if encoding.updatesHeader {
      file.truncate(to: 0)
      try updateHeader()
    }
  }

  deinit {
    // Closes libsndfile's handle, because libsndfile may write to the file until then.
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
    let error = file.failure ?? failure.map { $0.writing(file.path) }
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

  /// Completes a file without frames, so that decoders accept the file.
  ///
  /// libsndfile writes FLAC's header with the first frames. Opus and MP3 need a block, so they get
  /// one frame of silence.
  private func completeEmpty() {
    guard framesWritten == 0, !hasFailed, !file.isCut, encoding.sampleSize == nil else { return }
    guard encoding.container != .flac else {
      handle?.updateHeader()
      return
    }
    let silence = [Float](repeating: 0, count: format.channelCount)
    // The error is dropped here, because `finish` returns it.
    silence.withUnsafeBufferPointer { try? writeBlock($0) }
  }

  func finish() -> SoundFileError? {
    completeEmpty()
    guard let open = handle.take() else { return nil }
    let closing = open.close()
    guard !hasFailed, !file.isCut else {
      countStoredFrames()
      return nil
    }
    if let failure = file.failure ?? closing.map({ $0.writing(file.path) }) {
      countStoredFrames()
      return failure
    }
    flac?.complete(frames: framesWritten)
    appendTail()
    return file.failure
  }

  /// Appends chunks to an AIFF file, and corrects its size.
  private func appendTail() {
    let room = largestSize - file.length
    guard !tail.isEmpty, framesWritten > 0 || file.length > 8 else { return }
    let lost =
      "the pictures, the cues, and the tags other than title, artist, comment, and copyright"
    guard tail.count < room else {
      notices = [.omitted(lost, reason: "AIFF has at most 4 GiB")]
      return
    }
    let (end, whole) = (file.length, (file.length.isMultiple(of: 2) ? [] : [0]) + tail)
    guard whole.withUnsafeBytes({ file.append($0) }) == whole.count else {
      file.truncate(to: end)
      notices = [.omitted(lost, reason: "the system wrote only a part of them")]
      return
    }
    let size = UInt32(clamping: file.length - 8).bigEndian
    withUnsafeBytes(of: size) { _ = file.write($0, at: 4) }
  }

  /// Counts the stored frames by decoding, because a failed encoder cannot report them.
  private func countStoredFrames() {
    // Linear PCM has no encoder: libsndfile writes its frames at once, so `framesWritten` is right
    // unless another process truncated the file.
    guard encoding.sampleSize == nil || file.isCut else { return }
    file.truncate(to: file.wholeLength)
    if encoding.container == .mp3 { lengthTag.settle(file) }
    framesWritten = storedFrameCount(file, atMost: framesWritten, rate: format.sampleRate)
  }
}

/// An MP3 stream without the first block, which LAME reserves for the length.
///
/// Without a length, decoders would play that block as silence.
private final class StreamedMP3: VirtualStorage {
  private let file: GrowingFile
  /// The number of bytes before the first block.
  private let start: Int
  /// The size of the first block, which is dropped; nil before the first write.
  private var dropped: Int?

  init(_ file: GrowingFile) {
    (self.file, start) = (file, file.length)
  }

  var length: Int { dropped.map { file.length - start + $0 } ?? 0 }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int {
    let dropped = dropped ?? size(ofBlock: bytes)
    self.dropped = dropped
    // The stream drops updates of bytes that were already written.
    return file.write(bytes, at: start - dropped + offset)
  }

  private func size(ofBlock bytes: UnsafeRawBufferPointer) -> Int {
    guard bytes.count >= 4 else { return 0 }
    let bits = bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    return MPEGFrameHeader(bits)?.byteCount ?? 0
  }
}

/// Returns the number of readable frames in a file whose encoder received `written` frames.
///
/// A stream cannot be read, so the result is `written`.
func storedFrameCount(
  _ file: GrowingFile, atMost written: FrameCount, rate: SampleRate
) -> FrameCount {
  guard !file.isStream else { return written }
  // Only the last 90 s of a long recording are decoded: more than any encoder's delay.
  let last = min(written, FrameCount(.seconds(90), at: rate))
  return min(written, storedFrameCount(file.descriptor, path: file.path, from: written - last))
}

/// Returns the number of readable frames in a file, decoding from `start`, or from 0 if the file
/// ends before `start`.
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

/// Reads to the end and returns the number of frames.
private func lastFrame(_ reader: SoundFileReader) -> FrameCount {
  let room = 4_096 * reader.format.channelCount
  return withUnsafeTemporaryAllocation(of: Float.self, capacity: room) { block in
    // Damage ends the count like the end of the file.
    while let count = try? reader.read(into: block), count > 0 {}
    return reader.framesRead
  }
}

/// An encoder that writes samples to a file.
protocol SoundFileOutput: AnyObject {
  /// The number of accepted frames; after `finish`, the number of readable frames.
  var framesWritten: FrameCount { get }

  /// Writes whole frames of interleaved samples.
  func write(_ samples: UnsafeBufferPointer<Float>) throws(SoundFileError)

  /// Makes the audio written so far readable, as far as possible.
  ///
  /// It updates the header or writes buffered audio.
  func updateHeader() throws(SoundFileError)

  /// Completes the file, even after a failure, and returns an error or nil.
  ///
  /// Calling it again has no effect.
  func finish() -> SoundFileError?

  /// The metadata that could not be written; final after `finish`.
  var notices: [SoundFileNotice] { get }
}

extension SoundFileOutput {
  var notices: [SoundFileNotice] { [] }
}

/// Detects an encoder that accepts sound and writes nothing.
struct EncoderWatch {
  private let longestDelay: Duration
  private var size = 0
  private var lastGrowth: FrameCount = 0
  private var hasSound = false

  /// - Parameter longestDelay: the maximum duration of audio that the encoder holds before it
  ///   writes.
  init(longestDelay: Duration) {
    self.longestDelay = longestDelay
  }

  /// Records samples that the encoder received.
  mutating func add(_ samples: UnsafeBufferPointer<Float>) {
    // The threshold is one 16-bit step: quieter audio may need no bytes.
    if !hasSound { hasSound = samples.contains { abs($0) > 1.0 / 32_768 } }
  }

  /// Checks the size of the file.
  ///
  /// `frames` is the number of frames that the encoder received, and `newSize` is the size of the
  /// file in bytes.
  ///
  /// - Returns: the number of frames received when the file last grew, if it should have grown
  ///   again by now; otherwise nil.
  mutating func lastFrame(
    at frames: FrameCount, rate: SampleRate, size newSize: Int
  ) -> FrameCount? {
    guard newSize == size, hasSound else {
      (size, lastGrowth, hasSound) = (newSize, frames, false)
      return nil
    }
    return (frames - lastGrowth).duration(at: rate) >= longestDelay ? lastGrowth : nil
  }
}
