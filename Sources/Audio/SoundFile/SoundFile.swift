public import AudioCore
import AudioThreads
public import FoundationEssentials

/// Sound files as streams of buffers.
public enum SoundFile {
  /// Returns the frames of a file as a stream, in order and on demand.
  ///
  /// Nothing is read ahead: frames are read when the consumer requests them. The first request
  /// opens the file on its own thread. The stream ends after the last frame. When the stream ends,
  /// fails, or loses its consumer, the file is closed and the thread ends. A canceled consumer gets
  /// the end of the stream, as with every `AsyncThrowingStream`.
  ///
  /// - Parameters:
  ///   - url: a file; a named pipe is read while it is written.
  ///   - raw: the format of a file without a header; nil if the file has a header, or one of the
  ///     extensions that `RawAudioFormat.init(pathExtension:)` accepts.
  ///   - framesPerBuffer: the length of each buffer except the last, above 0.
  ///   - onShortfall: called at the end of the stream if the end of the file is missing.
  ///   - onNotice: called at the end of the stream with each notice about the file.
  /// - Throws: the stream throws `SoundFileError`, which describes the problem with the file.
  public static func buffers(
    of url: URL, raw: RawAudioFormat? = nil, framesPerBuffer: FrameCount = 4096,
    onShortfall: @escaping @Sendable (SoundFileShortfall) -> Void = { _ in },
    onNotice: @escaping @Sendable (SoundFileNotice) -> Void = { _ in }
  ) -> AsyncThrowingStream<AudioBuffer, any Error> {
    buffers(framesPerBuffer, onShortfall, onNotice) { interruption in
      try SoundFileReader(url: url, raw: raw, interruption: interruption)
    }
  }

  /// Returns the frames from a descriptor, for example 0 for standard input, as a stream.
  ///
  /// The stream behaves like that of a file. The descriptor belongs to the caller and must stay
  /// open until the first buffer arrives. `raw` is the format of audio without a header, such as
  /// that of a telephone; an incomplete frame at its end is a shortfall.
  public static func buffers(
    ofFileDescriptor fileDescriptor: Int32, name: String = "standard input",
    raw: RawAudioFormat? = nil, framesPerBuffer: FrameCount = 4096,
    onShortfall: @escaping @Sendable (SoundFileShortfall) -> Void = { _ in },
    onNotice: @escaping @Sendable (SoundFileNotice) -> Void = { _ in }
  ) -> AsyncThrowingStream<AudioBuffer, any Error> {
    buffers(framesPerBuffer, onShortfall, onNotice) { interruption in
      try SoundFileReader(
        fileDescriptor: fileDescriptor, name: name, raw: raw, interruption: interruption)
    }
  }

  private static func buffers(
    _ framesPerBuffer: FrameCount, _ onShortfall: @escaping @Sendable (SoundFileShortfall) -> Void,
    _ onNotice: @escaping @Sendable (SoundFileNotice) -> Void,
    open: @escaping @Sendable (_ interruption: WakeUp) throws -> SoundFileReader
  ) -> AsyncThrowingStream<AudioBuffer, any Error> {
    buffers(framesPerBuffer) { interruption in
      try open(interruption).frames(onShortfall: onShortfall, onNotice: onNotice)
    }
  }

  private static func buffers(
    _ framesPerBuffer: FrameCount, open: @escaping FileReading.Opening
  ) -> AsyncThrowingStream<AudioBuffer, any Error> {
    precondition(framesPerBuffer > 0, "a buffer holds at least 1 frame, not \(framesPerBuffer)")
    let demand = FileDemand(framesPerBuffer: framesPerBuffer, open: open)
    return AsyncThrowingStream { try await demand.next() }
  }
}

extension SoundFileReader {
  /// Returns a function that returns the next frames; nil at the end, after `onShortfall` and
  /// `onNotice` were called.
  func frames(
    onShortfall: @escaping (SoundFileShortfall) -> Void = { _ in },
    onNotice: @escaping (SoundFileNotice) -> Void = { _ in }
  ) -> (_ count: FrameCount) throws -> AudioBuffer? {
    { count in
      let buffer = try self.read(atMost: count)
      guard buffer.isEmpty else { return buffer }
      if let shortfall = self.shortfall { onShortfall(shortfall) }
      for notice in self.notices { onNotice(notice) }
      return nil
    }
  }
}
