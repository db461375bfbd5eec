/// Sums up samples as they pass and tells their level; it keeps no audio.
public struct AudioMeter: Sendable {
  private var highest: Float = 0
  private var squares: Double = 0
  private var count = 0

  /// A meter that has seen nothing.
  public init() {}

  /// The level of everything added since the last `reset`; of nothing, silence.
  public var level: AudioLevel {
    guard count > 0 else { return .silence }
    return AudioLevel(
      peak: Decibels(amplitude: Double(highest)),
      rms: Decibels(amplitude: (squares / Double(count)).squareRoot()))
  }

  /// Takes samples into account, of whichever channels.
  public mutating func add(_ samples: [Float]) {
    samples.withUnsafeBufferPointer { add($0) }
  }

  /// The same for samples in memory; it neither allocates nor waits.
  public mutating func add(_ samples: UnsafeBufferPointer<Float>) {
    for sample in samples {
      highest = max(highest, abs(sample))
      squares += Double(sample) * Double(sample)
    }
    count += samples.count
  }

  /// Forgets what was added.
  public mutating func reset() {
    self = AudioMeter()
  }
}
