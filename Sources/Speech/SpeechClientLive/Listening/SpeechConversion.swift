import AudioCore
import Resampling

/// Converts audio of any format to 16 kHz mono, in stretches without a gap.
///
/// Thread safety: none; one thread at a time uses it, because of its resampler.
struct SpeechConversion {
  /// The longest gap within one format that is filled with silence, so that an xrun or a rounded
  /// position does not split a word.
  static let longestBridge = Duration.milliseconds(50)

  private var resampler: Resampler?
  /// The expected first frame of the next buffer, at the buffer's own rate.
  private var expected: FrameCount?

  /// Whether the buffer follows the previous buffer in the same format, with at most a short gap.
  ///
  /// If not, the caller must call `flush` before `process`.
  func continues(with buffer: AudioBuffer) -> Bool { bridge(to: buffer) != nil }

  /// Returns the converted audio.
  ///
  /// A buffer whose `firstFrame` jumps back is treated as directly following the previous buffer.
  ///
  /// If `continues(with:)` is false, the caller must call `flush` first; otherwise, the end of the
  /// previous audio is lost.
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

  /// Ends the current audio and returns the samples that the resampler still holds.
  mutating func flush() throws -> [Float] {
    defer { resampler = nil }
    return finite(try resampler?.flush())
  }

  /// Returns the converted samples, with 0 for each non-finite sample, because the largest
  /// floating-point numbers overflow in the resampler.
  private func finite(_ converted: AudioBuffer?) -> [Float] {
    guard var converted else { return [] }
    _ = converted.silenceNonFinite()
    return converted.samples
  }

  /// Returns the silence, possibly empty, between the previous buffer and this buffer; nil if the
  /// gap is too long or the formats differ.
  private func bridge(to buffer: AudioBuffer) -> AudioBuffer? {
    guard let expected, resampler?.inputFormat == buffer.format else { return nil }
    let missing = max(0, buffer.firstFrame - expected)
    guard missing.duration(at: buffer.format.sampleRate) <= Self.longestBridge else { return nil }
    return AudioBuffer(silence: missing, format: buffer.format, firstFrame: expected)
  }
}

extension AudioBuffer {
  /// Returns the buffer in pieces of at most `length`.
  func slices(of length: Duration) -> [AudioBuffer] {
    let step = max(1, FrameCount(length, at: format.sampleRate).rawValue)
    return stride(from: 0, to: frameCount.rawValue, by: step).map { begin in
      frames(FrameCount(begin)..<min(FrameCount(begin + step), frameCount))
    }
  }
}

extension Range<FrameCount> {
  /// Returns the start and the end of the frames at a sample rate.
  func timestamps(at rate: SampleRate) -> Range<Duration> {
    lowerBound.duration(at: rate)..<upperBound.duration(at: rate)
  }
}
