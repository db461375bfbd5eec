public import AudioCore
public import AudioThreads
import Glibc

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
  ///   - name: what error messages call it.
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
