public import AudioCore
public import FoundationEssentials

/// Sound files as streams of buffers.
public enum SoundFile {
  /// The frames of a file, in order, as its consumer asks for them.
  ///
  /// Nothing is read ahead: the consumer's demand is the back-pressure. The file is opened by the
  /// first demand and read on a thread of its own. The stream ends after the last frame; when it
  /// ends or fails, or its consumer is cancelled or goes away, the file is closed and the thread
  /// ends. A consumer that is cancelled sees the end, as with every `AsyncThrowingStream`.
  ///
  /// - Parameters:
  ///   - url: a file; a named pipe is read while it is written.
  ///   - framesPerBuffer: the length of each buffer but the last, above 0.
  ///   - onShortfall: is called at the end of the stream if the end of the file is missing.
  /// - Throws: the stream throws `SoundFileError`, which describes what is wrong with the file.
  public static func buffers(
    of url: URL, framesPerBuffer: FrameCount = 4096,
    onShortfall: @escaping @Sendable (SoundFileShortfall) -> Void = { _ in }
  ) -> AsyncThrowingStream<AudioBuffer, any Error> {
    buffers(framesPerBuffer, onShortfall) { interruption in
      try SoundFileReader(url: url, interruption: interruption)
    }
  }

  /// The frames that come from a descriptor, for example 0 for standard input; otherwise the same.
  ///
  /// The descriptor belongs to the caller and must stay open until the first buffer has come.
  public static func buffers(
    ofFileDescriptor fileDescriptor: Int32, name: String = "standard input",
    framesPerBuffer: FrameCount = 4096,
    onShortfall: @escaping @Sendable (SoundFileShortfall) -> Void = { _ in }
  ) -> AsyncThrowingStream<AudioBuffer, any Error> {
    buffers(framesPerBuffer, onShortfall) { interruption in
      try SoundFileReader(fileDescriptor: fileDescriptor, name: name, interruption: interruption)
    }
  }

  static func buffers(
    _ framesPerBuffer: FrameCount, _ onShortfall: @escaping @Sendable (SoundFileShortfall) -> Void,
    open: @escaping FileReading.Opening
  ) -> AsyncThrowingStream<AudioBuffer, any Error> {
    precondition(framesPerBuffer > 0, "a buffer holds at least 1 frame, not \(framesPerBuffer)")
    let demand = FileDemand(
      framesPerBuffer: framesPerBuffer, open: open, onShortfall: onShortfall)
    return AsyncThrowingStream { try await demand.next() }
  }
}

extension SoundFile {
  /// The frames of samples without a header that come from a descriptor, for example 0 for standard
  /// input.
  ///
  /// They are given as they come. A part of a frame at the end is left out; a descriptor that gives
  /// no frame is an error. The descriptor belongs to the caller and must stay open until the first
  /// buffer has come.
  ///
  /// - Parameters:
  ///   - fileDescriptor: a file or a pipe that is open for reading.
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
