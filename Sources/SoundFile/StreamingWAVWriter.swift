public import AudioCore

/// Writes 16-bit WAV to a descriptor that cannot be sought in, for example 1 for standard output.
///
/// The sizes in its header are the largest numbers there are, as SoX and FFmpeg write and read
/// them: the stream is as long as its writer likes.
///
/// Its methods block while there is no room in the pipe. Thread safety: one thread at a time.
public final class StreamingWAVWriter {
  /// Rate and channels of the stream.
  public let format: AudioFormat

  /// The frames written so far.
  public private(set) var framesWritten: FrameCount = 0

  private let output: PipeOutput
  private var bytes: [UInt8] = []

  /// Writes the header; the descriptor stays the caller's, who closes it.
  ///
  /// - Parameter name: what error messages call it.
  /// - Throws: `SoundFileError.brokenPipe` where the reader has gone, else as `write`.
  public init(
    fileDescriptor: Int32, name: String = "standard output", format: AudioFormat
  ) throws(SoundFileError) {
    self.format = format
    output = PipeOutput(descriptor: fileDescriptor, name: name)
    try output.write(StreamingWAVHeader.bytes(format))
  }

  /// Writes a buffer; its place on the time-line does not matter.
  ///
  /// - Throws: `SoundFileError.brokenPipe` where the reader has gone (there is no SIGPIPE),
  ///   `.diskFull` where the output is a file, `.wrongFormat`, or `.cannotWrite`.
  public func write(_ buffer: AudioBuffer) throws(SoundFileError) {
    guard buffer.format == format else {
      throw .wrongFormat(expected: format, actual: buffer.format)
    }
    bytes.removeAll(keepingCapacity: true)
    for sample in buffer.samples {
      let whole = UInt16(bitPattern: SampleConversion.int16(sample))
      bytes.append(UInt8(whole & 0xFF))
      bytes.append(UInt8(whole >> 8))
    }
    try output.write(bytes)
    framesWritten = framesWritten + buffer.frameCount
  }
}
