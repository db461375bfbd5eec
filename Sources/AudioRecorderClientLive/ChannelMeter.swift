import AudioCore
import AudioRecorderClient

/// The level of one channel: of a stretch, and what is remembered beyond it.
struct ChannelMeter {
  /// How long a peak is held.
  static let hold = Duration.milliseconds(1_500)
  /// From here on a sample is taken as cut off: the highest that 16 bits can hold.
  static let fullScale: Float = 1 - 1 / 32_768

  /// The sample of the stretch that is farthest from zero.
  private(set) var highest: Float = 0
  private var squares: Double = 0
  private var count = 0
  private var held: Float = 0
  private var heldFor = Duration.zero
  private var clipped = 0

  /// Of the stretch; 0 where there is none.
  var meanSquare: Double { count == 0 ? 0 : squares / Double(count) }

  /// Takes every `step`th of the samples into account.
  mutating func add(_ samples: [Float], from first: Int, step: Int) {
    samples.withUnsafeBufferPointer { samples in
      for index in stride(from: first, to: samples.count, by: step) {
        let size = abs(samples[index])
        highest = max(highest, size)
        squares += Double(size) * Double(size)
      }
      count += (samples.count - first + step - 1) / step
    }
  }

  /// Counts those of the samples that are cut off; they are in the recording.
  mutating func count(clipped samples: [Float], from first: Int, step: Int) {
    samples.withUnsafeBufferPointer { samples in
      for index in stride(from: first, to: samples.count, by: step)
      where abs(samples[index]) >= Self.fullScale {
        clipped += 1
      }
    }
  }

  /// The level of the stretch, which has this length.
  mutating func level(after length: Duration) -> ChannelLevel {
    heldFor += length
    if highest >= held || heldFor > Self.hold {
      held = highest
      heldFor = .zero
    }
    return ChannelLevel(
      peak: Decibels(amplitude: Double(highest)),
      rms: Decibels(amplitude: meanSquare.squareRoot()),
      heldPeak: Decibels(amplitude: Double(held)), clippedSamples: clipped)
  }

  /// Begins a new stretch.
  mutating func reset() {
    (highest, squares, count) = (0, 0, 0)
  }
}
