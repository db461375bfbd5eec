/// How the channels of one format become those of another: a gain for every pair of them.
///
/// The gains that it chooses into one channel never add up to more than 1, so that a mix never
/// clips. Channels are in the order of WAV files: front left, front right, centre, low frequency,
/// back, side.
package struct ChannelMix: Hashable, Sendable {
  package let inputCount: Int
  package let outputCount: Int

  /// The gain from input `i` to output `o` at `[o * inputCount + i]`.
  package let gains: [Float]

  package init(from inputCount: Int, to outputCount: Int) {
    self.inputCount = inputCount
    self.outputCount = outputCount
    gains = Self.rows(from: inputCount, to: outputCount).flatMap { $0 }
  }

  /// A mix of other gains, in the same order.
  init(inputCount: Int, outputCount: Int, gains: [Float]) {
    (self.inputCount, self.outputCount, self.gains) = (inputCount, outputCount, gains)
  }

  private static func rows(from inputs: Int, to outputs: Int) -> [[Float]] {
    if inputs == outputs { return (0..<outputs).map { unit($0, of: inputs) } }
    if inputs == 1 { return (0..<outputs).map { _ in [1] } }
    if outputs == 2, let surround = surroundToStereo(inputs) { return surround }
    if inputs < outputs { return (0..<outputs).map { unit($0, of: inputs) } }
    return (0..<outputs).map { folded(onto: $0, of: outputs, from: inputs) }
  }

  /// One channel as it is; silence where there is no such channel.
  private static func unit(_ index: Int, of count: Int) -> [Float] {
    (0..<count).map { $0 == index ? 1 : 0 }
  }

  /// The average of every input whose number leaves `output` when divided by the number of outputs.
  private static func folded(onto output: Int, of outputs: Int, from inputs: Int) -> [Float] {
    let chosen = (0..<inputs).filter { $0 % outputs == output }
    return (0..<inputs).map { chosen.contains($0) ? 1 / Float(chosen.count) : 0 }
  }

  /// ITU-R BS.775: centre and surround at -3 dB on their sides, low frequencies left out; scaled.
  private static func surroundToStereo(_ inputs: Int) -> [[Float]]? {
    let half = Float(0.5).squareRoot()
    let left: [Float]
    let right: [Float]
    switch inputs {
    case 3: (left, right) = ([1, 0, half], [0, 1, half])
    case 4: (left, right) = ([1, 0, half, 0], [0, 1, 0, half])
    case 5: (left, right) = ([1, 0, half, half, 0], [0, 1, half, 0, half])
    case 6: (left, right) = ([1, 0, half, 0, half, 0], [0, 1, half, 0, 0, half])
    case 8:
      (left, right) = ([1, 0, half, 0, half, 0, half, 0], [0, 1, half, 0, 0, half, 0, half])
    default: return nil
    }
    return [left, right].map { row in
      let total = row.reduce(0, +)
      return row.map { $0 / total }
    }
  }
}

extension ChannelMix {
  /// Mixes whole frames; it neither allocates nor waits.
  package func apply(
    _ input: UnsafePointer<Float>, frames: Int, into output: UnsafeMutablePointer<Float>
  ) {
    gains.withUnsafeBufferPointer { gains in
      for frame in 0..<frames {
        let source = input + frame * inputCount
        let target = output + frame * outputCount
        for channel in 0..<outputCount {
          var sum: Float = 0
          for index in 0..<inputCount { sum += gains[channel * inputCount + index] * source[index] }
          target[channel] = sum
        }
      }
    }
  }

  /// Mixes whole frames of interleaved samples.
  package func apply(_ samples: [Float]) -> [Float] {
    let frames = samples.count / inputCount
    return [Float](unsafeUninitializedCapacity: frames * outputCount) { output, count in
      guard let target = output.baseAddress else { return }
      samples.withUnsafeBufferPointer { input in
        guard let source = input.baseAddress else { return }
        apply(source, frames: frames, into: target)
        count = frames * outputCount
      }
    }
  }
}
