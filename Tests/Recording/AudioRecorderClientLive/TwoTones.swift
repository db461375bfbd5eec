import AudioCore
import Foundation
import VirtualSoundCard

/// A stereo microphone: 1 kHz on both sides, and on the right also 10 kHz, which a rate of 16 kHz
/// cannot represent.
enum TwoTones {
  static let format = AudioFormat(sampleRate: 48_000, channelCount: 2)
  /// The number of frames at 48 kHz after which both tones repeat.
  static let cycle = 48
  /// The amplitude of the 1 kHz tone, on either side and in the average of both sides.
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
    // Only the time within the current millisecond is used, so that all cycles are bit-identical.
    let place = Double(frame % max(1, rate.hertz / 1_000)) / Double(rate.hertz)
    let tone = amplitude * Float(sin(2 * .pi * 1_000 * place))
    return channel == 0 ? tone : tone + 0.25 * Float(sin(2 * .pi * 10_000 * place))
  }

  /// Returns whether these samples are bit-identical to the microphone's, starting at any frame.
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
  /// The phase at frame 0 of the timeline, in cycles, 0..<1.
  let phase: Double
  /// The RMS of the signal without the sine.
  let rest: Double

  /// Measures the sine of `hertz` in mono samples of a whole number of cycles.
  ///
  /// `first` is the frame of the first sample on the timeline.
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
