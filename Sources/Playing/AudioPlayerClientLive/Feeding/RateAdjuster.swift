import AudioCore
import Resampling

/// Resamples audio at a ratio near 1 that may change at any time, without a jump in the signal.
///
/// The output is 240 frames late, but has no delay on the timeline.
///
/// Thread safety: one thread at a time.
final class RateAdjuster: TimingStage {
  /// The number of input frames per output frame, minus 1.
  var deviation = 0.0
  /// The index after the last returned output frame.
  private(set) var outputFrame = 0
  /// The input frame that corresponds to the next output frame.
  private var inputFrame = 0.0
  private let format: AudioFormat
  /// The resampler of the current audio; nil before its first samples.
  private var resampler: Resampler?

  init(_ format: AudioFormat) {
    self.format = format
  }

  /// The output frame that corresponds to an input frame.
  func outputFrame(at frame: Int) -> Int {
    outputFrame + Int(clamping: ((Double(frame) - inputFrame) / (1 + deviation)).rounded())
  }

  /// Processes samples and returns the completed output, which may be empty.
  func process(_ samples: [Float]) throws(ResamplingError) -> [Float] {
    guard !samples.isEmpty else { return [] }
    let resampler =
      if let resampler { resampler } else { try Resampler(adjusting: format) }
    self.resampler = resampler
    try resampler.adjust(by: deviation)
    return returned(try resampler.process(AudioBuffer(format: format, samples: samples)))
  }

  /// Returns the remaining output.
  func flush() throws(ResamplingError) -> [Float] {
    guard let resampler else { return [] }
    self.resampler = nil
    return returned(try resampler.flush())
  }

  /// Discards all audio; the next samples begin at this frame.
  func restart(at frame: Int) {
    (resampler, inputFrame, outputFrame) = (nil, Double(frame), frame)
  }

  private func returned(_ buffer: AudioBuffer) -> [Float] {
    let count = buffer.frameCount.rawValue
    outputFrame += count
    inputFrame += Double(count) * (1 + deviation)
    return buffer.samples
  }
}
