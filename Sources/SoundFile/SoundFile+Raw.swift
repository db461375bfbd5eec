public import AudioCore

extension SoundFile {
  /// The frames of samples without a header that come from a descriptor, for example 0 for standard
  /// input.
  ///
  /// They are given as they come. A part of a frame at the end is left out; a descriptor that gives
  /// no frame is an error. The descriptor belongs to the caller and must stay open until the first
  /// buffer has come.
  ///
  /// - Parameters:
  ///   - format: the rate and channels of the samples.
  ///   - samples: how each of them is stored.
  ///   - name: what error messages call the descriptor.
  ///   - framesPerBuffer: the length that no buffer exceeds, above 0.
  /// - Throws: the stream throws `SoundFileError`.
  public static func rawBuffers(
    ofFileDescriptor fileDescriptor: Int32, format: AudioFormat, samples: RawSampleFormat,
    name: String = "standard input", framesPerBuffer: FrameCount = 4096
  ) -> AsyncThrowingStream<AudioBuffer, any Error> {
    buffers(framesPerBuffer, { _ in }) { interruption in
      let source = try Descriptor.duplicate(fileDescriptor, path: name)
      return try RawReader(
        StreamInput(source: source, path: name, interruption: interruption), format: format,
        samples: samples)
    }
  }
}
