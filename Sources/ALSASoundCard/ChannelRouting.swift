import AudioCore

/// How the channels of one layout become those of another with as many.
///
/// Each channel goes to its own position, or to the one next to it; what finds none is mixed into
/// its neighbours in front where it is played, and keeps some place where it is recorded.
struct ChannelRouting: Equatable {
  let channelCount: Int

  /// The gain from channel `i` to channel `o` at `[o * channelCount + i]`.
  let gains: [Float]

  /// For each channel that comes out the one that it is, or nil where the channels are mixed.
  let sources: [Int]?

  /// Whether every channel stays where it is.
  let isIdentity: Bool

  init(from input: ChannelLayout, to output: ChannelLayout, for direction: AudioDevice.Direction) {
    var search = PlaceSearch(from: input.positions, to: output.positions)
    channelCount = output.positions.count
    search.findPlaces()
    if direction == .capture { search.takeWhatIsLeft() }
    gains = search.gains
    sources = search.permutation
    isIdentity = sources == Array(0..<channelCount)
  }

  /// To or from a device, with the order of WAV files on our side.
  init(direction: AudioDevice.Direction, device: ChannelLayout) {
    let ours = ChannelLayout.wav(device.positions.count)
    switch direction {
    case .playback: self.init(from: ours, to: device, for: direction)
    case .capture: self.init(from: device, to: ours, for: direction)
    }
  }

  /// Whether every channel has a place of its own.
  var isComplete: Bool { sources != nil }

  /// Routes whole frames; it neither allocates nor waits, and the two must not overlap.
  func apply(
    _ input: UnsafePointer<Float>, frames: Int, into output: UnsafeMutablePointer<Float>
  ) {
    if let sources {
      permute(input, frames: frames, into: output, sources)
    } else {
      mix(input, frames: frames, into: output)
    }
  }

  private func permute(
    _ input: UnsafePointer<Float>, frames: Int, into output: UnsafeMutablePointer<Float>,
    _ sources: [Int]
  ) {
    for frame in 0..<frames {
      let base = frame * channelCount
      for channel in 0..<channelCount { output[base + channel] = input[base + sources[channel]] }
    }
  }

  private func mix(
    _ input: UnsafePointer<Float>, frames: Int, into output: UnsafeMutablePointer<Float>
  ) {
    for frame in 0..<frames {
      let base = frame * channelCount
      for channel in 0..<channelCount {
        var sum: Float = 0
        for source in 0..<channelCount {
          let gain = gains[channel * channelCount + source]
          // A channel that does not belong here stays out also where it is not a number.
          if gain != 0 { sum += input[base + source] * gain }
        }
        output[base + channel] = sum
      }
    }
  }
}

/// Finds a place among the positions of one layout for each channel of another.
private struct PlaceSearch {
  let inputs: [ChannelPosition]
  let outputs: [ChannelPosition]
  /// The output of each input, where it has one to itself.
  var places: [Int?]

  init(from inputs: [ChannelPosition], to outputs: [ChannelPosition]) {
    self.inputs = inputs
    self.outputs = outputs
    places = Array(repeating: nil, count: inputs.count)
  }

  mutating func findPlaces() {
    take { $0 != .unknown && $0 == $1 }
    take { $0.neighbour == $1 || $1.neighbour == $0 }
    take { $0 == .unknown || $1 == .unknown }
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

  var permutation: [Int]? {
    let sources = outputs.indices.compactMap { places.firstIndex(of: $0) }
    return sources.count == outputs.count ? sources : nil
  }

  /// Scaled alike, so that no output adds up to more than 1: a mix never clips.
  var gains: [Float] {
    let rows = outputs.indices.map { output in
      inputs.indices.map { gain(from: $0, to: output) }
    }
    let total = rows.reduce(1) { max($0, $1.reduce(0, +)) }
    return rows.flatMap { $0.map { $0 / total } }
  }

  private func gain(from input: Int, to output: Int) -> Float {
    if let place = places[input] { return place == output ? 1 : 0 }
    let substitutes = inputs[input].substitutes.first { $0.allSatisfy(outputs.contains) }
    return substitutes?.contains(outputs[output]) == true ? Float(0.5).squareRoot() : 0
  }
}

extension ChannelPosition {
  /// The position that serves as well where this one is missing.
  fileprivate var neighbour: ChannelPosition? {
    switch self {
    case .mono: .frontCenter
    case .rearLeft: .sideLeft
    case .rearRight: .sideRight
    default: nil
    }
  }

  /// Where a channel is heard at −3 dB that has no loudspeaker, the best first; low frequencies are
  /// left out, as ITU-R BS.775 has it.
  fileprivate var substitutes: [[ChannelPosition]] {
    let front: [ChannelPosition] = [.frontLeft, .frontRight]
    return switch self {
    case .frontCenter, .mono: [front]
    case .rearCenter: [[.rearLeft, .rearRight], [.sideLeft, .sideRight], front]
    case .rearLeft: [[.frontLeft]]
    case .rearRight: [[.frontRight]]
    case .sideLeft: [[.rearLeft], [.frontLeft]]
    case .sideRight: [[.rearRight], [.frontRight]]
    default: []
    }
  }
}
