public import AudioCore
public import AudioThreads

extension SoundFileWriter {
  /// Writes a stream to a descriptor without seeking, for example 1 for standard output.
  ///
  /// The caller keeps and closes the descriptor. The writer's methods block while a pipe has no
  /// room; `stopSignal` limits the wait. A WAV header has the largest possible sizes, as with
  /// `StreamingWAVWriter`, and no tags. The headers of AU, FLAC, and MP3 have no length.
  ///
  /// - Parameters:
  ///   - fileDescriptor: a file or a pipe that is open for writing.
  ///   - name: the descriptor's name in error messages.
  ///   - format: the sample rate and channels of the audio.
  ///   - encoding: the container, which must be streamable, and the sample format.
  ///   - metadata: the tags, pictures, cues, and chapters; `notices` reports those that the stream
  ///     cannot hold.
  ///   - stopSignal: once signaled, a write fails if the reader reads nothing for a second.
  /// - Throws: `SoundFileError.unsupportedFormat`; `.brokenPipe` if the reader is gone; or
  ///   `.cannotWrite`, including for a container that is not streamable.
  public convenience init(
    fileDescriptor: Int32, name: String = "standard output", format: AudioFormat,
    encoding: SoundFileEncoding, metadata: AudioMetadata = AudioMetadata(),
    stopSignal: WakeUp? = nil
  ) throws(SoundFileError) {
    try encoding.check(format)
    guard encoding.container.isStreamable else {
      throw .cannotWrite(
        path: name, reason: "\(encoding.container) has its length in front of the audio")
    }
    let file = GrowingFile(
      streamingTo: try .duplicate(fileDescriptor, path: name, isOutput: true), name: name,
      stopSignal: stopSignal)
    let stored = encoding.container.storable(
      metadata, at: format.sampleRate, isStream: true)
    let output = try Self.output(
      file, format, encoding, stored.metadata, largestWAV: WAVFileHeader.largestSize)
    self.init(file, output: output, format: format, encoding: encoding)
    notices = stored.notices
  }
}
