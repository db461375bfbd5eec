import AudioCore
import Foundation
import TestTools
import Testing

@testable import AudioPlayerClientLive

@Suite struct RateAdjusterTests {
  /// Returns a sine at 48 kHz with the amplitude 0.9.
  private func sine(_ frames: Int, frequency: Double = 997) -> [Float] {
    (0..<frames).map { Float(0.9 * sin(2 * Double.pi * frequency * Double($0) / 48_000)) }
  }

  /// Processes samples in blocks of `length` frames, each with the deviation for its number.
  private func adjusted(
    _ samples: [Float], channels: Int = 1, length: Int = 480,
    _ deviation: (_ block: Int) -> Double
  ) throws -> [Float] {
    let adjuster = RateAdjuster(AudioFormat(sampleRate: 48_000, channelCount: channels))
    var output: [Float] = []
    for (block, start) in stride(from: 0, to: samples.count, by: length * channels).enumerated() {
      adjuster.deviation = deviation(block)
      output += try adjuster.process(
        Array(samples[start..<min(samples.count, start + length * channels)]))
    }
    output += try adjuster.flush()
    #expect(adjuster.outputFrame == output.count / channels)
    return output
  }

  /// Returns everything but the sine of `frequency`, in decibels below the sine.
  private func distortion(_ samples: ArraySlice<Float>, frequency: Double) -> Double {
    // The least-squares fit of a sine and a cosine.
    let waves = samples.indices.map { index in
      let angle = 2 * Double.pi * frequency * Double(index) / 48_000
      return (sine: sin(angle), cosine: cos(angle))
    }
    var (ss, sc, cc, xs, xc) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for (sample, wave) in zip(samples, waves) {
      ss += wave.sine * wave.sine
      sc += wave.sine * wave.cosine
      cc += wave.cosine * wave.cosine
      xs += Double(sample) * wave.sine
      xc += Double(sample) * wave.cosine
    }
    let determinant = ss * cc - sc * sc
    let (a, b) = ((xs * cc - xc * sc) / determinant, (xc * ss - xs * sc) / determinant)
    let noise = zip(samples, waves).reduce(0) { sum, pair in
      let error = Double(pair.0) - a * pair.1.sine - b * pair.1.cosine
      return sum + error * error / Double(samples.count)
    }
    return 10 * log10(noise / ((a * a + b * b) / 2))
  }

  @Test(arguments: [500e-6, -500e-6, 1_000e-6, 37e-6], [997, 19_200.0])
  func `a sine has less distortion and noise than -100 dB`(
    deviation: Double, frequency: Double
  ) throws {
    let output = try adjusted(sine(48_000, frequency: frequency)) { _ in deviation }
    let inner = output[1_000..<(output.count - 1_000)]
    let distortion = distortion(inner, frequency: frequency * (1 + deviation))
    #expect(distortion < -100, "\(distortion) dB")
  }

  @Test(arguments: [500e-6, -500e-6])
  func `the output lasts as long as the input at the other rate`(deviation: Double) throws {
    let output = try adjusted(sine(480_000), length: 4_800) { _ in deviation }
    #expect(abs(Double(output.count) - 480_000 / (1 + deviation)) <= 1)
  }

  @Test func `changes of the deviation cause no jump`() throws {
    let output = try adjusted(sine(96_000)) { [1e-3, -1e-3, 0, 400e-6][$0 % 4] }
    let turn = 2 * cos(2 * Double.pi * 997 / 48_000)
    let jumps = (500..<(output.count - 500)).map { index -> Double in
      let (before, here) = (Double(output[index - 2]), Double(output[index - 1]))
      return abs(Double(output[index]) - turn * here + before)
    }
    // A change by 2,000 ppm bends the curve by 2.4e-4. A lost or repeated frame is a jump of 0.1.
    #expect(jumps.max() ?? 1 < 4e-4)
  }

  @Test func `the output does not depend on the buffer lengths, and channels stay apart`() throws {
    let left = sine(9_600)
    let stereo: [Float] = left.flatMap { sample -> [Float] in [sample, 0] }
    let output = try adjusted(stereo, channels: 2, length: 7) { _ in 300e-6 }
    let other = try adjusted(left, length: 4_800) { _ in 300e-6 }
    #expect(output.count == 2 * other.count)
    let errors = zip(stride(from: 0, to: output.count, by: 2), other).map { abs(output[$0] - $1) }
    #expect(errors.max() ?? 1 < 1e-6)
    #expect(stride(from: 1, to: output.count, by: 2).allSatisfy { output[$0] == 0 })
  }

  @Test func `the frame of the next buffer follows the changed length`() throws {
    let adjuster = RateAdjuster(AudioFormat(sampleRate: 48_000, channelCount: 1))
    adjuster.restart(at: 1_000)
    adjuster.deviation = 500e-6
    _ = try adjuster.process(sine(100_000))
    #expect(abs(adjuster.outputFrame(at: 101_000) - 100_950) <= 1)
    _ = try adjuster.flush()
    #expect(abs(adjuster.outputFrame - 100_950) <= 1)
  }
}
