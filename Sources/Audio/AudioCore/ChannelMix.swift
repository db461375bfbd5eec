/// A conversion between channel layouts: a gain for each pair of input and output.
///
/// Each channel goes to its own position or to an equivalent position: rear and side are
/// equivalent, and so are mono and center. Other channels are mixed down with the coefficients of
/// ITU-R BS.775, which drop the low-frequency channel. Without a center, mono goes unchanged to
/// front left and right. Outputs without an input are silent.
///
/// One scale for all gains keeps the sum of an output's gains at or below 1, so a mix never clips
/// and keeps the balance of its channels.
package struct ChannelMix: Hashable, Sendable {
  package let inputCount: Int
  package let outputCount: Int

  /// The gain from input `i` to output `o` at `[o * inputCount + i]`.
  package let gains: [Float]

  /// The input that each output copies; nil if any output is mixed or silent.
  package let sources: [Int]?

  /// Whether every channel keeps its position.
  package let isIdentity: Bool

  package init(from input: ChannelLayout, to output: ChannelLayout) {
    self.init(from: input, to: output, keepsAll: false)
  }

  /// Creates a mix that gives each input its own output, so no channel of a microphone is lost.
  ///
  /// `output` must have as many channels as `input`.
  package init(keepingAllOf input: ChannelLayout, as output: ChannelLayout) {
    self.init(from: input, to: output, keepsAll: true)
  }

  private init(from input: ChannelLayout, to output: ChannelLayout, keepsAll: Bool) {
    let inputs = input.positions
    let outputs = output.positions.map { $0 == .mono ? .frontCenter : $0 }
    let places = ownOutputs(of: inputs, among: outputs, keepsAll: keepsAll)
    let columns = inputs.indices.map { index in
      channelGains(of: inputs[index], at: index, alone: places[index], in: outputs)
    }
    let rows = outputs.indices.map { output in columns.map { $0[output] } }
    let total = rows.reduce(1) { max($0, $1.reduce(0, +)) }
    self.init(rows: rows.map { $0.map { $0 / total } }, inputCount: inputs.count)
  }

  /// Creates a mix from gains: a row for each output with a gain for each input.
  init(rows: [[Float]], inputCount: Int) {
    (self.inputCount, outputCount) = (inputCount, rows.count)
    gains = rows.flatMap { $0 }
    let sources = rows.compactMap { row in
      row.allSatisfy { $0 == 0 || $0 == 1 } && row.reduce(0, +) == 1 ? row.firstIndex(of: 1) : nil
    }
    self.sources = sources.count == rows.count ? sources : nil
    isIdentity = sources == Array(0..<inputCount)
  }

  /// Whether the mix only reorders channels.
  package var isPermutation: Bool {
    outputCount == inputCount && sources.map { Set($0).count } == inputCount
  }
}

extension ChannelMix {
  /// Mixes whole frames without allocating or waiting; input and output must not overlap.
  package func apply(
    _ input: UnsafePointer<Float>, frames: Int, into output: UnsafeMutablePointer<Float>
  ) {
    // This is the usual mix, stereo to mono, as a loop that vectorizes.
    if inputCount == 2, outputCount == 1, !gains.contains(0) {
      let (left, right) = (gains[0], gains[1])
      for frame in 0..<frames {
        output[frame] = left * input[2 * frame] + right * input[2 * frame + 1]
      }
      return
    }
    for frame in 0..<frames {
      let source = input + frame * inputCount
      let target = output + frame * outputCount
      if let sources {
        for channel in 0..<outputCount { target[channel] = source[sources[channel]] }
      } else {
        for channel in 0..<outputCount { target[channel] = sum(of: source, into: channel) }
      }
    }
  }

  private func sum(of source: UnsafePointer<Float>, into channel: Int) -> Float {
    var sum: Float = 0
    for index in 0..<inputCount {
      let gain = gains[channel * inputCount + index]
      // An input with a gain of 0 is skipped, because 0 × NaN is NaN.
      if gain != 0 { sum += gain * source[index] }
    }
    return sum
  }

  /// Mixes whole frames in place; the mix must have as many outputs as inputs.
  package func apply(inPlace samples: UnsafeMutablePointer<Float>, frames: Int) {
    withUnsafeTemporaryAllocation(of: Float.self, capacity: inputCount) { frame in
      guard let copy = frame.baseAddress else { return }
      for index in 0..<frames {
        let target = samples + index * inputCount
        copy.update(from: target, count: inputCount)
        apply(copy, frames: 1, into: target)
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

/// Returns the output for each input whose position matches an output; nil for other inputs.
///
/// No two inputs get the same output. If `keepsAll` is true, an input without a matching output
/// gets the first free output.
private func ownOutputs(
  of inputs: [ChannelPosition], among outputs: [ChannelPosition], keepsAll: Bool
) -> [Int?] {
  var places = [Int?](repeating: nil, count: inputs.count)
  func assign(where fits: (_ input: ChannelPosition, _ output: ChannelPosition) -> Bool) {
    for input in inputs.indices where places[input] == nil {
      places[input] = outputs.indices.first {
        !places.contains($0) && fits(inputs[input], outputs[$0])
      }
    }
  }
  assign { $0 != .unknown && $0 == $1 }
  assign { $0.counterpart == $1 }
  assign { $0 == .unknown || ($1 == .unknown && $0 != .mono) }
  if keepsAll { assign { _, _ in true } }
  return places
}

/// Returns the gains of an input, one for each output.
///
/// `place` is the output that `ownOutputs` returned for this input; nil if there is none.
private func channelGains(
  of position: ChannelPosition, at index: Int, alone place: Int?, in outputs: [ChannelPosition]
) -> [Float] {
  if let place { return outputs.indices.map { $0 == place ? 1 : 0 } }
  let substitute = position.substitutes.first { $0.positions.allSatisfy(outputs.contains) }
  if let (positions, gain) = substitute {
    return outputs.map { positions.contains($0) ? gain : 0 }
  }
  // No channel is lost: mono goes to all outputs, and a channel at an unknown position goes to the
  // output with the same index.
  return switch position {
  case .mono: outputs.map { _ in 1 }
  case .unknown: outputs.indices.map { $0 == index % outputs.count ? 1 : 0 }
  default: outputs.map { _ in 0 }
  }
}

extension ChannelPosition {
  /// The equivalent position, used if this position is missing.
  fileprivate var counterpart: ChannelPosition? {
    switch self {
    case .mono: .frontCenter
    case .rearLeft: .sideLeft
    case .rearRight: .sideRight
    case .sideLeft: .rearLeft
    case .sideRight: .rearRight
    default: nil
    }
  }

  /// The channels that replace a missing channel, and the gain of the mix.
  fileprivate typealias Substitute = (positions: [ChannelPosition], gain: Float)

  /// The substitutes of a missing position, the best first.
  fileprivate var substitutes: [Substitute] {
    let half = Float(0.5).squareRoot()
    let front: [ChannelPosition] = [.frontLeft, .frontRight]
    return switch self {
    case .mono: [(front, 1)]
    case .frontCenter: [(front, half)]
    case .frontLeft, .frontRight: [([.frontCenter], half)]
    case .rearLeft: Self.surround(.sideLeft, .frontLeft)
    case .rearRight: Self.surround(.sideRight, .frontRight)
    case .sideLeft: Self.surround(.rearLeft, .frontLeft)
    case .sideRight: Self.surround(.rearRight, .frontRight)
    case .rearCenter:
      [
        ([.rearLeft, .rearRight], half), ([.sideLeft, .sideRight], half), (front, 0.5),
        ([.frontCenter], 0.5),
      ]
    case .lowFrequency, .silent, .unknown: []
    }
  }

  private static func surround(
    _ beside: ChannelPosition, _ front: ChannelPosition
  ) -> [Substitute] {
    let half = Float(0.5).squareRoot()
    return [([.rearCenter], half), ([beside], half), ([front], half), ([.frontCenter], 0.5)]
  }
}
