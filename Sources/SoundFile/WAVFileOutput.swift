public import AudioCore
public import AudioThreads
import Glibc

/// Writes WAV and RF64.
///
/// libsndfile could, but a WAV file that may become RF64 gets from it a format chunk which Python's
/// `wave` refuses, and its header could not be tested for every length.
final class WAVFileOutput: SoundFileOutput {
  private let file: GrowingFile
  private let header: WAVFileHeader
  private let headerSize: Int
  private let frameSize: Int
  private let block: UnsafeMutableRawBufferPointer
  private let samplesPerBlock: Int
  private var samples: LittleEndianSamples
  private var isFinished = false

  /// Writes the header of a file without sound.
  init(_ file: GrowingFile, header: WAVFileHeader) throws(SoundFileError) {
    (self.file, self.header) = (file, header)
    samples = LittleEndianSamples(header.samples)
    headerSize = header.byteCount
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

  /// In bytes, the last frame's missing ones not yet cut off.
  private var dataSize: Int { max(0, file.length - headerSize) }

  func write(_ sound: UnsafeBufferPointer<Float>) throws(SoundFileError) {
    var rest = sound[...]
    while !rest.isEmpty {
      let part = UnsafeBufferPointer(rebasing: rest.prefix(samplesPerBlock))
      samples.encode(part, into: block)
      let size = part.count * header.samples.byteCount
      let bytes = UnsafeRawBufferPointer(rebasing: block[..<size])
      guard file.append(bytes) == size else { throw failure }
      rest = rest.dropFirst(part.count)
    }
  }

  func updateHeader() throws(SoundFileError) {
    let bytes = header.bytes(dataSize: framesWritten.rawValue * frameSize)
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

  /// A chunk of an odd length is followed by a byte that its size does not count.
  private func pad() throws(SoundFileError) {
    guard !dataSize.isMultiple(of: 2), file.mayGrow else { return }
    let count = withUnsafeBytes(of: UInt8(0)) { file.append($0) }
    guard count == 1 else { throw failure }
  }

  private var failure: SoundFileError {
    file.failure ?? .cannotWrite(path: file.path, reason: "the system took a part of it only")
  }
}

/// The first bytes of WAV: of a file whose length is known, which is RF64 where 32 bits cannot hold
/// it, or of a stream of unknown length.
///
/// Both kinds of file have the same length: RF64's sizes stand where a WAV file has a chunk of nothing.
/// The format is the plain one, also for 24 bits, because Python's `wave` reads no other before
/// 3.12. From three channels on it is WAVE_FORMAT_EXTENSIBLE, which names their positions: without
/// that, other programs take three channels for 2.1.
struct WAVFileHeader {
  /// The largest size that a WAV header can hold.
  static let largestSize = 0xFFFF_FFFF

  let format: AudioFormat
  let samples: SoundFileEncoding.SampleFormat
  var tags: [AudioTag: String] = [:]
  /// Where RF64 begins.
  var largestSize = Self.largestSize

  /// The bytes before the first sample.
  var byteCount: Int { bytes(dataSize: 0).count }

  /// The header before so many bytes of samples, whole frames.
  func bytes(dataSize: Int) -> [UInt8] {
    let rest = middle(frames: frames(dataSize))
    let padding = dataSize % 2
    // After the first 8 bytes: "WAVE", 36 bytes of sizes, the format, 8 of the data's own head.
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

  /// The header of a stream: the sizes are the largest numbers there are.
  var streamBytes: [UInt8] {
    chunkHead("RIFF", Self.largestSize) + Array("WAVE".utf8) + formatChunk
      + chunkHead("data", Self.largestSize)
  }

  private func frames(_ dataSize: Int) -> Int {
    dataSize / (samples.byteCount * format.channelCount)
  }

  /// The format, for float the number of frames, which the standard demands, and the tags.
  private func middle(frames: Int) -> [UInt8] {
    guard samples == .float else { return formatChunk + tags.infoChunk }
    return formatChunk + chunkHead("fact", 4) + little(min(frames, Self.largestSize), 4)
      + tags.infoChunk
  }

  /// Rate, channels and coding.
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

  /// What WAVE_FORMAT_EXTENSIBLE adds: the valid bits, the mask of positions, and the coding, as the
  /// beginning of an identifier whose rest never changes.
  private func positions(_ coding: Int) -> [UInt8] {
    let identifier: [UInt8] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
    return little(22, 2) + little(samples.byteCount * 8, 2) + little(Int(format.layout.wavMask), 4)
      + little(coding, 2) + identifier
  }
}

/// The name of a chunk and the number of bytes that follow.
private func chunkHead(_ name: String, _ size: Int) -> [UInt8] {
  Array(name.utf8) + little(size, 4)
}

/// A number, the lowest byte first.
private func little(_ value: Int, _ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

/// Writes WAV, or its samples alone, to a descriptor that cannot be sought in, for example 1 for
/// standard output.
///
/// The sizes in its header are the largest numbers there are, as SoX and FFmpeg write and read
/// them: the stream is as long as its writer likes.
///
/// Its methods block while there is no room in the pipe, until the stop signal. Thread safety: one
/// thread at a time.
public final class StreamingWAVWriter {
  /// Rate and channels of the stream.
  public let format: AudioFormat

  /// The frames written so far.
  public private(set) var framesWritten: FrameCount = 0

  private let samples: SoundFileEncoding.SampleFormat
  private let descriptor: Int32
  private let name: String
  private let stopSignal: WakeUp?
  private var encoder: LittleEndianSamples
  private var bytes: [UInt8] = []

  /// Writes the header; the descriptor stays the caller's, who closes it.
  ///
  /// - Parameters:
  ///   - fileDescriptor: a file, a pipe, or a terminal that is open for writing.
  ///   - name: what error messages call it.
  ///   - format: the sample rate and the channels.
  ///   - samples: how exact the samples are.
  ///   - isRaw: whether there is no header; the lowest byte of a sample comes first all the same.
  ///   - stopSignal: once it is signaled, a reader that takes nothing for a second fails the write.
  /// - Throws: `SoundFileError.brokenPipe` where the reader has gone, else as `write`.
  public init(
    fileDescriptor: Int32, name: String = "standard output", format: AudioFormat,
    samples: SoundFileEncoding.SampleFormat = .int16, isRaw: Bool = false, stopSignal: WakeUp? = nil
  ) throws(SoundFileError) {
    (descriptor, self.name, self.stopSignal) = (fileDescriptor, name, stopSignal)
    (self.format, self.samples) = (format, samples)
    encoder = LittleEndianSamples(samples)
    if !isRaw { try write(WAVFileHeader(format: format, samples: samples).streamBytes) }
  }

  /// Writes a buffer; its place on the time-line does not matter.
  ///
  /// - Throws: `SoundFileError.brokenPipe` where the reader has gone (there is no SIGPIPE),
  ///   `.diskFull` where the output is a file, `.wrongFormat`, or `.cannotWrite`.
  public func write(_ buffer: AudioBuffer) throws(SoundFileError) {
    guard buffer.format == format else {
      throw .wrongFormat(expected: format, actual: buffer.format)
    }
    let missing = buffer.samples.count * samples.byteCount - bytes.count
    if missing > 0 { bytes += repeatElement(0, count: missing) } else { bytes.removeLast(-missing) }
    buffer.samples.withUnsafeBufferPointer { samples in
      bytes.withUnsafeMutableBytes { encoder.encode(samples, into: $0) }
    }
    try write(bytes)
    framesWritten = framesWritten + buffer.frameCount
  }

  private func write(_ bytes: [UInt8]) throws(SoundFileError) {
    let code = withoutPipeSignal {
      bytes.withUnsafeBytes { writeAll($0, to: descriptor, stopSignal: stopSignal) }
    }
    guard code == 0 else { throw SystemErrors.writing(name, code: code) }
  }

  /// Keeps SIGPIPE, which would end the process, from this thread while `body` writes.
  private func withoutPipeSignal(_ body: () -> Int32) -> Int32 {
    var pipeSignal = sigset_t()
    var previous = sigset_t()
    var pending = sigset_t()
    sigemptyset(&pipeSignal)
    sigaddset(&pipeSignal, SIGPIPE)
    sigpending(&pending)
    guard sigismember(&pending, SIGPIPE) == 0 else { return body() }

    pthread_sigmask(SIG_BLOCK, &pipeSignal, &previous)
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
    let code = body()
    if code == EPIPE {
      // The signal is pending on this thread; taken here, it is not delivered when unblocked.
      var now = timespec()
      sigtimedwait(&pipeSignal, nil, &now)
    }
    return code
  }
}
