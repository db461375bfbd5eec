public import AudioCore
public import AudioThreads

/// Writes WAV and RF64 files, and streams of WAV or raw samples.
///
/// It does not use libsndfile, which writes a format chunk that Python's `wave` rejects if a WAV
/// file may become RF64. Also, tests can create a `WAVFileHeader` for any length.
final class WAVFileOutput: SoundFileOutput {
  private let file: GrowingFile
  private let header: WAVFileHeader
  private let isRaw: Bool
  private let headerSize: Int
  private let frameSize: Int
  private let block: UnsafeMutableRawBufferPointer
  private let samplesPerBlock: Int
  private var dither = Dither()
  private var isFinished = false

  /// Writes the header of a file without audio.
  ///
  /// If `isRaw` is true, the header is omitted.
  init(_ file: GrowingFile, header: WAVFileHeader, isRaw: Bool = false) throws(SoundFileError) {
    (self.file, self.header, self.isRaw) = (file, header, isRaw)
    headerSize = isRaw ? 0 : file.isStream ? header.streamBytes.count : header.byteCount
    frameSize = header.samples.byteCount * header.format.channelCount
    let framesPerBlock = max(1, 16_384 / header.format.channelCount)
    samplesPerBlock = framesPerBlock * header.format.channelCount
    block = .allocate(byteCount: framesPerBlock * frameSize, alignment: 16)
    try updateHeader()
  }

  deinit {
    _ = finish()
    block.deallocate()
  }

  var framesWritten: FrameCount { FrameCount(dataSize / frameSize) }

  /// The size of the audio in bytes, which may include an incomplete last frame.
  private var dataSize: Int { max(0, file.length - headerSize) }

  func write(_ sound: UnsafeBufferPointer<Float>) throws(SoundFileError) {
    var rest = sound[...]
    while !rest.isEmpty {
      let part = UnsafeBufferPointer(rebasing: rest.prefix(samplesPerBlock))
      header.samples.encode(part, into: block, dither: &dither)
      let size = part.count * header.samples.byteCount
      let bytes = UnsafeRawBufferPointer(rebasing: block[..<size])
      guard file.append(bytes) == size else { throw failure }
      rest = rest.dropFirst(part.count)
    }
  }

  func updateHeader() throws(SoundFileError) {
    guard !isRaw else { return }
    let bytes =
      file.isStream
      ? header.streamBytes : header.bytes(dataSize: framesWritten.rawValue * frameSize)
    let count = bytes.withUnsafeBytes { file.write($0, at: 0) }
    guard count == bytes.count else { throw failure }
  }

  func finish() -> SoundFileError? {
    guard !isFinished else { return nil }
    isFinished = true
    file.truncate(to: headerSize + framesWritten.rawValue * frameSize)
    do throws(SoundFileError) {
      try updateHeader()
      try pad()
      return nil
    } catch {
      return error
    }
  }

  /// Pads a chunk of odd length with a zero byte, which the chunk's size does not include.
  private func pad() throws(SoundFileError) {
    guard !dataSize.isMultiple(of: 2), file.mayGrow, !file.isStream else { return }
    let count = withUnsafeBytes(of: UInt8(0)) { file.append($0) }
    guard count == 1 else { throw failure }
  }

  private var failure: SoundFileError {
    file.failure ?? .cannotWrite(path: file.path, reason: "the system wrote only part of it")
  }
}

/// The header of a WAV file, or of a WAV stream of unknown length.
///
/// A file whose length does not fit in 32 bits is RF64. Both kinds of file have headers of equal
/// length: RF64's sizes replace a junk chunk of a WAV file. For mono and stereo, the format chunk
/// is plain, even with 24 bits, because Python's `wave` reads no other kind before 3.12. With three
/// or more channels, the format chunk is WAVE_FORMAT_EXTENSIBLE: without channel positions, other
/// programs treat three channels as 2.1.
struct WAVFileHeader {
  /// The maximum size in a WAV header.
  static let largestSize = 0xFFFF_FFFF

  let format: AudioFormat
  let samples: SoundFileEncoding.SampleFormat
  /// The chunks with tags, pictures, and cues before the audio.
  var extra: [UInt8] = []
  /// The largest RIFF size; the header of a larger file is RF64.
  var largestSize = Self.largestSize

  /// The number of bytes of the header.
  var byteCount: Int { bytes(dataSize: 0).count }

  /// Returns the header for `dataSize` bytes of samples in whole frames.
  func bytes(dataSize: Int) -> [UInt8] {
    let rest = middle(frames: frames(dataSize))
    let padding = dataSize % 2
    // The size excludes the file's first 8 bytes. It includes "WAVE", 36 bytes of sizes, the other
    // chunks, the data chunk's header of 8 bytes, and the data.
    let fileSize = 4 + 36 + rest.count + 8 + dataSize + padding
    guard fileSize <= largestSize else {
      let sizes = little(fileSize, 8) + little(dataSize, 8) + little(frames(dataSize), 8)
      return chunkHead("RF64", Self.largestSize) + Array("WAVE".utf8)
        + chunkHead("ds64", 28) + sizes + little(0, 4) + rest
        + chunkHead("data", Self.largestSize)
    }
    return chunkHead("RIFF", fileSize) + Array("WAVE".utf8)
      + chunkHead("JUNK", 28) + [UInt8](repeating: 0, count: 28) + rest
      + chunkHead("data", dataSize)
  }

  /// The header of a stream, with the largest possible sizes.
  var streamBytes: [UInt8] {
    chunkHead("RIFF", Self.largestSize) + Array("WAVE".utf8) + formatChunk
      + chunkHead("data", Self.largestSize)
  }

  private func frames(_ dataSize: Int) -> Int {
    dataSize / (samples.byteCount * format.channelCount)
  }

  /// Returns the chunks before the audio: the format chunk; for float, the required `fact` chunk
  /// with the number of frames; and the extra chunks.
  private func middle(frames: Int) -> [UInt8] {
    guard samples == .float else { return formatChunk + extra }
    return formatChunk + chunkHead("fact", 4) + little(min(frames, Self.largestSize), 4) + extra
  }

  /// The format chunk: the format code, the channels, and the rate.
  private var formatChunk: [UInt8] {
    let frameSize = format.channelCount * samples.byteCount
    let rate = format.sampleRate.hertz
    let (integer, float, extensible) = (1, 3, 0xFFFE)
    let coding = samples == .float ? float : integer
    let isExtensible = format.channelCount > 2
    let extra = isExtensible ? positions(coding) : []
    return chunkHead("fmt ", 16 + extra.count) + little(isExtensible ? extensible : coding, 2)
      + little(format.channelCount, 2) + little(rate, 4) + little(rate * frameSize, 4)
      + little(frameSize, 2) + little(samples.byteCount * 8, 2) + extra
  }

  /// Returns the extension of WAVE_FORMAT_EXTENSIBLE: the valid bits, the channel mask, and an
  /// identifier that begins with the format code `coding`.
  private func positions(_ coding: Int) -> [UInt8] {
    let identifier: [UInt8] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
    return little(22, 2) + little(samples.byteCount * 8, 2) + little(Int(format.layout.wavMask), 4)
      + little(coding, 2) + identifier
  }
}

/// Returns the header of a chunk: its name, and the number of following bytes.
func chunkHead(_ name: String, _ size: Int) -> [UInt8] {
  Array(name.utf8) + little(size, 4)
}

/// Returns the little-endian bytes of a number.
func little(_ value: Int, _ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

/// Writes WAV or raw samples to a descriptor without seeking, for example 1 for standard output.
///
/// The sizes in the header are the largest possible numbers, as in SoX and FFmpeg, because the
/// length of the stream is unknown.
///
/// Its methods block while the pipe has no room; the stop signal limits the wait. Thread safety:
/// one thread at a time.
public final class StreamingWAVWriter {
  /// The sample rate and channels of the stream.
  public let format: AudioFormat

  private let output: WAVFileOutput

  /// Writes the header; the caller keeps and closes the descriptor.
  ///
  /// - Parameters:
  ///   - fileDescriptor: a file, a pipe, or a terminal that is open for writing.
  ///   - name: the descriptor's name in error messages.
  ///   - format: the sample rate and the channels.
  ///   - samples: the sample format.
  ///   - isRaw: whether to omit the header; samples are little-endian in both cases.
  ///   - stopSignal: once signaled, a write fails if the reader reads nothing for a second.
  /// - Throws: `SoundFileError.brokenPipe` if the reader is gone, otherwise as `write`.
  public init(
    fileDescriptor: Int32, name: String = "standard output", format: AudioFormat,
    samples: SoundFileEncoding.SampleFormat = .int16, isRaw: Bool = false, stopSignal: WakeUp? = nil
  ) throws(SoundFileError) {
    self.format = format
    let file = GrowingFile(
      streamingTo: Descriptor(borrowing: fileDescriptor), name: name, stopSignal: stopSignal)
    output = try WAVFileOutput(
      file, header: WAVFileHeader(format: format, samples: samples), isRaw: isRaw)
  }

  /// The number of frames written.
  public var framesWritten: FrameCount { output.framesWritten }

  /// Writes a buffer; its frame index is ignored.
  ///
  /// - Throws: `SoundFileError.brokenPipe` if the reader is gone (without SIGPIPE), `.diskFull` if
  ///   the output is a file, `.wrongFormat`, or `.cannotWrite`.
  public func write(_ buffer: AudioBuffer) throws(SoundFileError) {
    guard buffer.format == format else {
      throw .wrongFormat(expected: format, actual: buffer.format)
    }
    try buffer.samples.withUnsafeBufferPointer { samples throws(SoundFileError) in
      try output.write(samples)
    }
  }
}
