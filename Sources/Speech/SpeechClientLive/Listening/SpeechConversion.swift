import AudioCore
import Resampling

/// Converts audio of any format to 16 kHz mono, and finds gaps in it.
///
/// Thread safety: one thread at a time, as its resampler.
struct SpeechConversion {
  /// Audio without a gap before it, or the end of such a stretch.
  enum Piece: Equatable {
    case audio(AudioBuffer)
    /// The next piece begins at this frame of the stream at 16 kHz, after the end of the last
    /// piece.
    case gap(to: FrameCount)
    /// This number of samples in this stretch were NaN or infinite; they are silence now.
    case nonFinite(sampleCount: Int, in: Range<Duration>)
  }

  /// A gap within one format that is no longer than this becomes silence: an xrun or a rounded
  /// position does not split a word.
  static let longestBridge = Duration.milliseconds(50)

  private var resampler: Resampler?
  /// The expected first frame of the next buffer, at its own rate.
  private var expected: FrameCount?

  /// Converts the next buffer; a buffer that jumps back follows the previous buffer.
  mutating func add(_ buffer: AudioBuffer) throws -> [Piece] {
    var pieces: [Piece] = []
    var buffer = buffer
    if let bridge = bridge(to: buffer) {
      if !bridge.isEmpty { pieces = try (resampler?.process(bridge)).pieces }
      buffer.firstFrame = bridge.endFrame
    } else {
      pieces = try flush()
      pieces.append(
        .gap(to: buffer.firstFrame.converted(from: buffer.format.sampleRate, to: .speech)))
      resampler = try Resampler(from: buffer.format, to: .speech)
    }
    expected = buffer.endFrame
    if let replaced = buffer.silenceNonFinite() {
      let stretch = replaced.frames.timestamps(at: buffer.format.sampleRate)
      pieces.append(.nonFinite(sampleCount: replaced.count, in: stretch))
    }
    return try pieces + (resampler?.process(buffer)).pieces
  }

  /// Whether the buffer continues the audio before it, at most a short gap later; otherwise it begins
  /// a new stretch.
  func continues(with buffer: AudioBuffer) -> Bool { bridge(to: buffer) != nil }

  /// Returns the audio that the resampler holds back.
  mutating func flush() throws -> [Piece] {
    defer { resampler = nil }
    return try (resampler?.flush()).pieces
  }

  /// The silence, possibly empty, between the audio before and the buffer; nil if they are too far
  /// apart or in different formats.
  private func bridge(to buffer: AudioBuffer) -> AudioBuffer? {
    guard let expected, resampler?.inputFormat == buffer.format else { return nil }
    let missing = max(0, buffer.firstFrame - expected)
    guard missing.duration(at: buffer.format.sampleRate) <= Self.longestBridge else { return nil }
    return AudioBuffer(silence: missing, format: buffer.format, firstFrame: expected)
  }
}

extension AudioBuffer? {
  fileprivate var pieces: [SpeechConversion.Piece] {
    guard var buffer = self, !buffer.isEmpty else { return [] }
    // The largest floating-point numbers overflow in the resampler.
    _ = buffer.silenceNonFinite()
    return [.audio(buffer)]
  }
}

extension AudioBuffer {
  /// The buffer in pieces of at most `length`.
  func slices(of length: Duration) -> [AudioBuffer] {
    let step = max(1, FrameCount(length, at: format.sampleRate).rawValue)
    return stride(from: 0, to: frameCount.rawValue, by: step).map { begin in
      frames(FrameCount(begin)..<min(FrameCount(begin + step), frameCount))
    }
  }
}

extension Range<FrameCount> {
  /// The start and the end of the frames at a rate.
  func timestamps(at rate: SampleRate) -> Range<Duration> {
    lowerBound.duration(at: rate)..<upperBound.duration(at: rate)
  }
}
