import AudioCore
import Resampling

/// Converts whatever comes to 16 kHz mono, and finds the gaps in it.
///
/// Thread safety: one thread at a time, as its resampler.
struct SpeechConversion {
  /// Audio without a gap before it, or the end of such a stretch.
  enum Piece: Equatable {
    case audio(AudioBuffer)
    /// The next piece begins at this frame of the stream at 16 kHz, later than the last one ended.
    case gap(to: FrameCount)
  }

  private var resampler: Resampler?
  /// Where the next buffer should begin, in frames of its own rate.
  private var expected: FrameCount?

  /// Takes the next buffer; one that jumps back, or has no place of its own, follows the one
  /// before.
  mutating func add(_ buffer: AudioBuffer) throws -> [Piece] {
    var pieces: [Piece] = []
    var buffer = buffer
    if let expected, resampler?.inputFormat == buffer.format, buffer.firstFrame <= expected {
      buffer.firstFrame = expected
    } else {
      pieces = try finish()
      pieces.append(
        .gap(to: buffer.firstFrame.converted(from: buffer.format.sampleRate, to: .speech)))
      try begin(with: buffer.format)
    }
    expected = buffer.endFrame
    return try pieces + (resampler?.process(buffer)).pieces
  }

  /// Gives what the resampler holds back.
  mutating func finish() throws -> [Piece] {
    defer { resampler = nil }
    return try (resampler?.finish()).pieces
  }

  private mutating func begin(with format: AudioFormat) throws {
    resampler = try Resampler(from: format, to: .speech)
  }
}

extension AudioBuffer? {
  fileprivate var pieces: [SpeechConversion.Piece] {
    guard let self, !self.isEmpty else { return [] }
    return [.audio(self)]
  }
}
