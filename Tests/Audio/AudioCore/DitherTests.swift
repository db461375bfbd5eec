import Foundation
import Testing

@testable import AudioCore

@Suite struct DitherTests {
  @Test func `samples on a 16-bit step are unchanged by dither`() {
    let everyStep = (-32_768...32_767).map { Float($0) / 32_768 }
    let isSame = quantized(everyStep).map { Int($0) } == Array(-32_768...32_767)
    #expect(isSame)
  }

  @Test func `samples beyond full scale are clipped and NaN becomes silence`() {
    #expect(quantized([1, 1.5, .infinity, 0.999_99]).allSatisfy { $0 >= 32_766 })
    #expect(quantized([-1, -1.5, -.infinity]) == [-32_768, -32_768, -32_768])
    #expect(quantized([.nan, -.nan]) == [0, 0])
  }

  @Test func `the mean of a dithered sample equals the sample`() {
    for between in [Float(0.25), 0.5, -0.75, 100.125] {
      let numbers = quantized([Float](repeating: between / 32_768, count: 100_000))
      let mean = numbers.reduce(0) { $0 + Double($1) } / 100_000
      #expect(abs(mean - Double(between)) < 0.01, "\(between): \(mean)")
    }
  }

  @Test func `the power of the dither error is a quarter of a squared step at any sample value`() {
    for between in [Float(0.062_5), 0.25, 0.5, -0.375] {
      let numbers = quantized([Float](repeating: between / 32_768, count: 100_000))
      let power = numbers.reduce(0) { sum, number in
        let error = Double(number) - Double(between)
        return sum + error * error
      }
      #expect(abs(power / 100_000 - 0.25) < 0.01, "\(between)")
    }
  }

  @Test
  func `with dither, a sine with an amplitude of a third of a step is kept without overtones`() {
    let numbers = quantized(sine)
    #expect(abs(level(of: numbers, harmonic: 1) + 100) < 0.2)
    for harmonic in 2...9 { #expect(level(of: numbers, harmonic: harmonic) < -125) }
  }

  @Test func `without dither, a sine with an amplitude of a third of a step is lost`() {
    let rounded = sine.map { Int16(($0 * 32_768).rounded()) }
    #expect(rounded.allSatisfy { $0 == 0 })
  }

  @Test func `adjacent channels have independent dither noise`() {
    let pair = [Float](repeating: 0.5 / 32_768, count: 200_000)
    let errors = quantized(pair).map { Double($0) - 0.5 }
    for lag in 1...8 {
      let sum = (lag..<errors.count).reduce(0) { $0 + errors[$1] * errors[$1 - lag] }
      #expect(abs(sum / Double(errors.count)) < 0.003, "\(lag)")
    }
  }

  @Test func `samples that need no dither do not change the dither noise of the following samples`()
  {
    let between = (0..<600).map { Float($0) * 1.7 / 32_768 }
    let onSteps = (0..<512).map { Float($0) / 32_768 }
    let elsewhere = [Float](repeating: 0.3 / 32_768, count: 512)
    #expect(quantized(onSteps + between)[512...] == quantized(elsewhere + between)[512...])
  }

  @Test func `a sample between two 16-bit steps is dithered, but not its neighbors on a step`() {
    for place in [0, 255, 256, 300] {
      var sound = (0..<301).map { Float($0) / 32_768 }
      sound[place] += 0.5 / 32_768
      let numbers = quantized(sound)
      #expect(numbers.indices.allSatisfy { $0 == place || Int(numbers[$0]) == $0 })
      #expect(abs(Int(numbers[place]) - place) <= 2)
    }
  }

  @Test func `dither noise does not depend on the buffer lengths`() {
    let samples = (0..<1_000).map { Float($0) * 1.7 / 32_768 }
    var dither = Dither()
    let pieces =
      quantized(Array(samples[..<333]), &dither) + quantized(Array(samples[333...]), &dither)
    #expect(pieces == quantized(samples))
  }

  private let sine = (0..<480_000).map { frame in
    1e-5 * Float(sin(2 * .pi * 997 * Double(frame) / 48_000))
  }

  /// Returns the level of a multiple of 997 Hz, in dBFS, by correlation over ten seconds.
  private func level(of numbers: [Int16], harmonic: Int) -> Double {
    var (inPhase, across) = (0.0, 0.0)
    for (frame, number) in numbers.enumerated() {
      let angle = 2 * Double.pi * 997 * Double(harmonic * frame) / 48_000
      inPhase += Double(number) * sin(angle)
      across += Double(number) * sin(angle + .pi / 2)
    }
    let amplitude = 2 * (inPhase * inPhase + across * across).squareRoot() / Double(numbers.count)
    return 20 * log10(amplitude / 32_768)
  }

  private func quantized(_ samples: [Float]) -> [Int16] {
    var dither = Dither()
    return quantized(samples, &dither)
  }

  private func quantized(_ samples: [Float], _ dither: inout Dither) -> [Int16] {
    var target = [Int16](repeating: 0, count: samples.count)
    samples.withUnsafeBufferPointer { samples in
      target.withUnsafeMutableBufferPointer { target in
        guard let target = target.baseAddress else { return }
        dither.quantize(samples, into: target)
      }
    }
    return target
  }
}
