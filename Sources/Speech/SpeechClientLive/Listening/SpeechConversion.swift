import AudioCore
import Resampling

/// Converts audio of any format to 16 kHz mono, in stretches without a gap.
///
/// Thread safety: one thread at a time, as its resampler.
struct SpeechConversion {
  /// A gap within one format that is no longer than this becomes silence: an xrun or a rounded
  /// position does not split a word.
  static let longestBridge = Duration.milliseconds(50)

  private var resampler: Resampler?
  /// The expected first frame of the next buffer, at its own rate.
  private var expected: FrameCount?

  /// Whether the buffer continues the stretch, at most a short gap later; otherwise it begins another
  /// one, and the current one has to be flushed before it.
  func continues(with buffer: AudioBuffer) -> Bool { bridge(to: buffer) != nil }

  /// Returns the converted audio; a buffer that jumps back follows the previous buffer.
  ///
  /// Before a buffer that does not continue the stretch, the caller flushes it, or its end is lost.
  mutating func process(_ buffer: AudioBuffer) throws -> [Float] {
    var buffer = buffer
    var silence: [Float] = []
    if let bridge = bridge(to: buffer) {
      if !bridge.isEmpty { silence = finite(try resampler?.process(bridge)) }
      buffer.firstFrame = bridge.endFrame
    } else {
      resampler = try Resampler(from: buffer.format, to: .speech)
    }
    expected = buffer.endFrame
    let samples = finite(try resampler?.process(buffer))
    return silence.isEmpty ? samples : silence + samples
  }

  /// Ends the stretch; returns the audio that the resampler holds back.
  mutating func flush() throws -> [Float] {
    defer { resampler = nil }
    return finite(try resampler?.flush())
  }

  /// The converted samples; the largest floating-point numbers overflow in the resampler.
  private func finite(_ converted: AudioBuffer?) -> [Float] {
    guard var converted else { return [] }
    _ = converted.silenceNonFinite()
    return converted.samples
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
