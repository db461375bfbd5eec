/// A synthetic signal, computed from the frame index and the sample rate.
///
/// All channels are equal, and every run produces the same samples. Any range of the signal can be
/// generated separately: two adjacent buffers have the same frames as one buffer that covers both
/// ranges.
public struct AudioSignal: Sendable {
  private let value: @Sendable (_ frame: Int, _ rate: SampleRate) -> Float

  /// Creates a signal from a function of frame index and rate, with values within ±1.
  public init(_ value: @escaping @Sendable (_ frame: Int, _ rate: SampleRate) -> Float) {
    self.value = value
  }

  /// Returns the sample of one frame.
  public func sample(at frame: FrameCount, rate: SampleRate) -> Float {
    value(frame.rawValue, rate)
  }

  /// Returns the frames from `firstFrame` on as a buffer with equal channels.
  public func buffer(
    _ frameCount: FrameCount, format: AudioFormat, firstFrame: FrameCount = 0
  ) -> AudioBuffer {
    var samples: [Float] = []
    samples.reserveCapacity(frameCount.rawValue * format.channelCount)
    for frame in firstFrame.rawValue..<(firstFrame + frameCount).rawValue {
      let sample = value(frame, format.sampleRate)
      for _ in 0..<format.channelCount { samples.append(sample) }
    }
    return AudioBuffer(format: format, samples: samples, firstFrame: firstFrame)
  }

  /// Returns the first `duration` of the signal as a buffer.
  public func buffer(_ duration: Duration, format: AudioFormat) -> AudioBuffer {
    buffer(FrameCount(duration, at: format.sampleRate), format: format)
  }
}

extension AudioSignal {
  /// Digital silence.
  public static let silence = AudioSignal { _, _ in 0 }

  /// One frame of `amplitude` at `frame`, with silence before and after.
  public static func impulse(at frame: FrameCount = 0, amplitude: Float = 1) -> AudioSignal {
    AudioSignal { index, _ in index == frame.rawValue ? amplitude : 0 }
  }

  /// A sine of `frequency` hertz that begins at phase 0; `amplitude` is its peak, 0…1.
  public static func sine(_ frequency: Double, amplitude: Float = 0.5) -> AudioSignal {
    AudioSignal { index, rate in
      let turns = frequency * Double(index) / Double(rate.hertz)
      return amplitude * sineOfTurns(turns)
    }
  }

  /// A sine sweep that changes linearly from `low` to `high` in `duration` and then stays at
  /// `high`.
  ///
  /// Frequencies are in hertz; `amplitude` is the peak, 0…1.
  public static func chirp(
    from low: Double, to high: Double, over duration: Duration, amplitude: Float = 0.5
  ) -> AudioSignal {
    let seconds = duration.inSeconds
    return AudioSignal { index, rate in
      let time = Double(index) / Double(rate.hertz)
      let rising = min(time, seconds)
      let slope = seconds > 0 ? (high - low) / seconds : 0
      let turns = low * rising + slope * rising * rising / 2 + high * (time - rising)
      return amplitude * sineOfTurns(turns)
    }
  }

  /// White noise with a uniform distribution between ±`amplitude`; equal seeds give equal noise.
  ///
  /// The noise fills the whole band of the sample rate, so resampling to a lower rate lowers the
  /// level. Use ``noise(seed:amplitude:bandwidth:)`` to keep the level.
  public static func noise(seed: UInt64, amplitude: Float = 0.5) -> AudioSignal {
    AudioSignal { index, _ in amplitude * noiseValue(index, seed: seed) }
  }

  /// Noise up to `bandwidth` hertz, the same at every rate above twice the bandwidth.
  ///
  /// Resampled noise equals noise that is generated at the new rate. The level equals that of white
  /// noise between ±`amplitude`; rare peaks are higher.
  public static func noise(
    seed: UInt64, amplitude: Float = 0.5, bandwidth: Double
  ) -> AudioSignal {
    // White noise at a rate of 2.5 times the bandwidth is interpolated with a low-pass filter.
    let rate = 2.5 * bandwidth
    return AudioSignal { index, sampleRate in
      let time = Double(index) * rate / Double(sampleRate.hertz)
      let nearest = Int(clamping: time.rounded(.down))
      var sum: Float = 0
      for neighbor in (nearest - 7)...(nearest + 8) {
        let weight = lowPassWeight(at: time - Double(neighbor), reach: 8)
        sum += weight * noiseValue(neighbor, seed: seed)
      }
      return max(-1, min(1, amplitude * sum))
    }
  }

  /// Returns a signal that equals this signal within `times`, and is silent at other times.
  ///
  /// ```swift
  /// let room = AudioSignal.noise(seed: 1, bandwidth: 7_000)
  ///   .during(.seconds(1) ..< .seconds(2), .seconds(3) ..< .milliseconds(3_500))
  /// ```
  public func during(_ times: Range<Duration>...) -> AudioSignal {
    AudioSignal { index, rate in
      let time = FrameCount(index).duration(at: rate)
      return times.contains { $0.contains(time) } ? value(index, rate) : 0
    }
  }
}

/// Returns the white noise of a frame, within ±1.
private func noiseValue(_ index: Int, seed: UInt64) -> Float {
  let bits = scrambled(UInt64(truncatingIfNeeded: index) &+ seed &* 0xD1B5_4A32_D192_ED03)
  return 2 * Float(bits >> 40) / Float(1 << 24) - 1
}

/// Returns the impulse response of a low-pass filter with a Hann window and a cutoff of 0.6 times
/// the Nyquist frequency.
///
/// The sum of its squares is 1, so noise keeps its level.
private func lowPassWeight(at distance: Double, reach: Double) -> Float {
  let cutoff = 0.6
  let turns = cutoff * distance / 2
  let sinc = abs(turns) < 1e-9 ? 1 : sineOfTurns(turns) / Float(2 * .pi * turns)
  let window = (1 + sineOfTurns(0.25 + distance / (2 * reach))) / 2
  return sinc * window * 0.8097
}

/// Returns the hash of a number: the finalizer of SplitMix64.
///
/// Every input bit changes about half of the output bits, so noise can be computed for any frame
/// without the frames before it.
private func scrambled(_ seed: UInt64) -> UInt64 {
  var bits = seed &+ 0x9E37_79B9_7F4A_7C15
  bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
  bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
  return bits ^ (bits >> 31)
}
