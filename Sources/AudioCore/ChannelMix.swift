/// How the channels of one layout become those of another: a gain for every pair of them.
///
/// Each channel goes to its own position, or to the one that serves as well: rear and side, mono and
/// center. A channel that finds neither is mixed into others with the coefficients of ITU-R BS.775,
/// and the low frequencies are left out. A mono sound without a center goes to front left and right
/// as it is. Positions that nothing goes to are silent.
///
/// The gains are scaled alike, so that those into one channel never add up to more than 1: a mix
/// never clips, and keeps the balance between its channels.
package struct ChannelMix: Hashable, Sendable {
  package let inputCount: Int
  package let outputCount: Int

  /// The gain from input `i` to output `o` at `[o * inputCount + i]`.
  package let gains: [Float]

  /// For each output the input that it is, unchanged; nil where one is mixed or silent.
  package let sources: [Int]?

  /// Whether every channel stays where it is.
  package let isIdentity: Bool

  package init(from input: ChannelLayout, to output: ChannelLayout) {
    self.init(ChannelMatch(from: input.positions, to: output.positions))
  }

  /// The mix that finds some place for each channel, for microphones: none is mixed or left out.
  ///
  /// `output` must have as many channels.
  package init(keepingAllOf input: ChannelLayout, as output: ChannelLayout) {
    var match = ChannelMatch(from: input.positions, to: output.positions)
    match.takeWhatIsLeft()
    self.init(match)
  }

  private init(_ match: ChannelMatch) {
    self.init(rows: match.rows, inputCount: match.inputs.count)
  }

  /// A mix of other gains: for each output a row with a gain for each input.
  init(rows: [[Float]], inputCount: Int) {
    (self.inputCount, outputCount) = (inputCount, rows.count)
    gains = rows.flatMap { $0 }
    let sources = rows.compactMap { row in
      row.allSatisfy { $0 == 0 || $0 == 1 } && row.reduce(0, +) == 1 ? row.firstIndex(of: 1) : nil
    }
    self.sources = sources.count == rows.count ? sources : nil
    isIdentity = sources == Array(0..<inputCount)
  }

  /// Whether each input is one of the outputs, unchanged.
  package var isPermutation: Bool {
    outputCount == inputCount && sources.map { Set($0).count } == inputCount
  }
}

extension ChannelMix {
  /// Mixes whole frames; it neither allocates nor waits, and the two must not overlap.
  package func apply(
    _ input: UnsafePointer<Float>, frames: Int, into output: UnsafeMutablePointer<Float>
  ) {
    // The usual mix, in a loop that runs in vectors.
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
      // A channel that does not belong here stays out also where it is not a number.
      if gain != 0 { sum += gain * source[index] }
    }
    return sum
  }

  /// Mixes whole frames where they are, for a mix to as many channels.
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

/// Finds places among the positions of one layout for the channels of another.
private struct ChannelMatch {
  let inputs: [ChannelPosition]
  let outputs: [ChannelPosition]
  /// The output of each input that has one to itself.
  private var places: [Int?]

  init(from inputs: [ChannelPosition], to outputs: [ChannelPosition]) {
    self.inputs = inputs
    self.outputs = outputs.map { $0 == .mono ? .frontCenter : $0 }
    places = Array(repeating: nil, count: inputs.count)
    take { $0 != .unknown && $0 == $1 }
    take { $0.counterpart == $1 }
    take { $0 == .unknown || ($1 == .unknown && $0 != .mono) }
  }

  /// Gives each channel that has no place the first one that is free.
  mutating func takeWhatIsLeft() {
    take { _, _ in true }
  }

  private mutating func take(
    where fits: (_ input: ChannelPosition, _ output: ChannelPosition) -> Bool
  ) {
    for input in inputs.indices where places[input] == nil {
      places[input] = outputs.indices.first {
        !places.contains($0) && fits(inputs[input], outputs[$0])
      }
    }
  }

  /// For each output a gain for each input, scaled.
  var rows: [[Float]] {
    let columns = inputs.indices.map(column)
    let rows = outputs.indices.map { output in columns.map { $0[output] } }
    let total = rows.reduce(1) { max($0, $1.reduce(0, +)) }
    return rows.map { $0.map { $0 / total } }
  }

  /// The gains of an input into each output.
  private func column(_ input: Int) -> [Float] {
    if let place = places[input] { return outputs.indices.map { $0 == place ? 1 : 0 } }
    let position = inputs[input]
    if let (positions, gain) = position.substitutes.first(where: canPlay) {
      return outputs.map { positions.contains($0) ? gain : 0 }
    }
    // A channel at an unknown position is spread over all outputs, so that it is not lost.
    return switch position {
    case .mono: outputs.map { _ in 1 }
    case .unknown: outputs.indices.map { $0 == input % outputs.count ? 1 : 0 }
    default: outputs.map { _ in 0 }
    }
  }

  private func canPlay(_ substitute: ChannelPosition.Substitute) -> Bool {
    substitute.positions.allSatisfy(outputs.contains)
  }
}

extension ChannelPosition {
  /// The position that serves as well where this one is missing.
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

  /// The channels that another one is mixed into, and how loud.
  fileprivate typealias Substitute = (positions: [ChannelPosition], gain: Float)

  /// What this one is mixed into where it is missing, the best first.
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
