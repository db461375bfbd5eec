import AudioCore
import AudioThreads

/// Reads samples that no header describes, from a descriptor, as they come.
final class RawReader: FrameReader {
  /// Nothing has promised a length.
  let shortfall: SoundFileShortfall? = nil

  private let format: AudioFormat
  private let samples: RawSampleFormat
  private let stream: StreamInput
  private var position: FrameCount = 0
  /// The beginning of a frame whose end has not come yet.
  private var rest: [UInt8] = []

  init(
    _ stream: StreamInput, format: AudioFormat, samples: RawSampleFormat
  ) throws(SoundFileError) {
    guard !stream.source.isDirectory else { throw .isDirectory(path: stream.path) }
    self.format = format
    self.samples = samples
    self.stream = stream
  }

  /// The frames that have come, at least one; none at the end, where a part of a frame is left out.
  func read(atMost count: FrameCount) throws(SoundFileError) -> AudioBuffer {
    let size = samples.byteCount * format.channelCount
    while rest.count < size {
      let bytes = try stream.next(atMost: count.rawValue * size - rest.count)
      guard !bytes.isEmpty else { return try end() }
      rest += bytes
    }
    let frames = rest.count / size
    let values = (0..<frames * format.channelCount).map { index in
      samples.sample(rest[(index * samples.byteCount)...])
    }
    rest.removeFirst(frames * size)
    defer { position = position + FrameCount(frames) }
    return AudioBuffer(format: format, samples: values, firstFrame: position)
  }

  private func end() throws(SoundFileError) -> AudioBuffer {
    guard position > 0 else { throw .empty(path: stream.path) }
    return AudioBuffer(silence: 0, format: format)
  }
}
