import AudioCore
import Foundation
import VirtualSoundCard

/// A microphone in stereo: 1 kHz on both sides, and 10 kHz, which no 16 kHz hold, on the right.
enum TwoTones {
  static let format = AudioFormat(sampleRate: 48_000, channelCount: 2)
  /// The common period in frames at 48 kHz.
  static let cycle = 48
  /// Of 1 kHz, on either side and in their average.
  static let amplitude: Float = 0.5

  static let microphone = VirtualMicrophone { format in
    { samples, first in
      for index in samples.indices {
        let (frame, channel) = index.quotientAndRemainder(dividingBy: format.channelCount)
        samples[index] = sample(first.rawValue + frame, channel, at: format.sampleRate)
      }
      return FrameCount(samples.count / format.channelCount)
    }
  }

  static func sample(_ frame: Int, _ channel: Int, at rate: SampleRate) -> Float {
    // Within a millisecond, so that each cycle is the same to the last bit.
    let place = Double(frame % max(1, rate.hertz / 1_000)) / Double(rate.hertz)
    let tone = amplitude * Float(sin(2 * .pi * 1_000 * place))
    return channel == 0 ? tone : tone + 0.25 * Float(sin(2 * .pi * 10_000 * place))
  }

  /// Whether these are the microphone's own samples to the last bit, from any frame on.
  static func isCaptured(in samples: [Float]) -> Bool {
    let channels = format.channelCount
    return (0..<cycle).contains { start in
      samples.indices.allSatisfy { index in
        let (frame, channel) = index.quotientAndRemainder(dividingBy: channels)
        return samples[index] == sample(start + frame, channel, at: format.sampleRate)
      }
    }
  }
}

/// The part of a signal that is a sine of a known frequency.
struct Tone {
  let amplitude: Double
  /// In cycles, 0..<1, at frame 0 of the timeline.
  let phase: Double
  /// The root of the mean square of all the rest.
  let rest: Double

  /// - Parameters:
  ///   - samples: mono, as many as whole cycles have.
  ///   - first: the first frame of the first one on the timeline.
  init(of hertz: Double, in samples: some Collection<Float>, from first: Int, at rate: SampleRate) {
    let step = 2 * Double.pi * hertz / Double(rate.hertz)
    let angles = (0..<samples.count).map { step * Double(first + $0) }
    let scale = 2 / Double(samples.count)
    let real = scale * zip(samples, angles).reduce(0) { $0 + Double($1.0) * sin($1.1) }
    let imaginary = scale * zip(samples, angles).reduce(0) { $0 + Double($1.0) * cos($1.1) }
    amplitude = hypot(real, imaginary)
    let turn = atan2(imaginary, real) / (2 * .pi)
    phase = turn < 0 ? turn + 1 : turn
    let errors = zip(samples, angles).map { sample, angle in
      Double(sample) - real * sin(angle) - imaginary * cos(angle)
    }
    rest = sqrt(errors.reduce(0) { $0 + $1 * $1 } / Double(samples.count))
  }
}
