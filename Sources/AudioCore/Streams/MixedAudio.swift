/// Several sequences, added up.
///
/// Frames are added by their indices: frame 48,000 of every input sounds together, and where an
/// input has a gap, or begins later, it is silent. Where none has a frame the mix has a gap too.
/// Nothing is clipped: the sum may go beyond ±1.
///
/// Inputs are asked one after the other, only for what the next frames need, so that the slowest
/// input sets the pace and at most one buffer of each is held.
///
/// - Throws: the first error of an input, whose frames up to there have been given;
///   `AudioStreamError.formatsDiffer` and `.outOfOrder`. Each ends the mix.
public struct MixedAudio: AsyncSequence, Sendable {
  /// The sum.
  public typealias Element = AudioBuffer
  /// Inputs fail in different ways.
  public typealias Failure = any Error

  let inputs: [MixInput]
  let end: AudioMixer.End

  /// A mix of these inputs; of none it is empty.
  public init(_ inputs: [MixInput], end: AudioMixer.End = .whenAllEnd) {
    self.inputs = inputs
    self.end = end
  }

  /// Begins every input.
  public func makeAsyncIterator() -> Iterator {
    Iterator(
      mixer: AudioMixer(gains: inputs.map(\.gain), end: end),
      inputs: inputs.map { $0.begin() })
  }

  /// Asks the inputs for what the next frames need.
  public struct Iterator: AsyncIteratorProtocol {
    var mixer: AudioMixer
    var inputs: [any MixReader]

    /// The next frames of the mix; nil after its end.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(any Error) -> AudioBuffer? {
      while !inputs.isEmpty {
        switch mixer.step() {
        case .give(let buffer): return buffer
        case .end: inputs = []
        case .ask(let input): try await ask(input, isolation: actor)
        }
      }
      return nil
    }

    private mutating func ask(_ input: Int, isolation actor: isolated (any Actor)?) async throws {
      do {
        if let buffer = try await inputs[input].next(isolation: actor) {
          try mixer.take(buffer, from: input)
        } else {
          mixer.end(of: input)
        }
      } catch {
        inputs = []
        throw error
      }
    }
  }
}

/// A sequence in a mix, and how loud it is there.
public struct MixInput: Sendable {
  let gain: Float
  let begin: @Sendable () -> any MixReader

  /// A sequence whose samples are multiplied by `gain` in the mix.
  public init<Base: AsyncSequence & Sendable>(_ base: Base, gain: Float = 1)
  where Base.Element == AudioBuffer {
    self.gain = gain
    begin = { SequenceReader(iterator: base.makeAsyncIterator()) }
  }
}

/// Reads a sequence whose type and errors the mix does not know.
protocol MixReader {
  mutating func next(isolation actor: isolated (any Actor)?) async throws -> AudioBuffer?
}

private struct SequenceReader<Base: AsyncIteratorProtocol>: MixReader
where Base.Element == AudioBuffer {
  var iterator: Base

  mutating func next(isolation actor: isolated (any Actor)?) async throws -> AudioBuffer? {
    try await iterator.next(isolation: actor)
  }
}

extension AsyncSequence where Element == AudioBuffer, Self: Sendable {
  /// This sequence and another one, added up frame by frame; `MixedAudio` says how.
  public func mixed<Other: AsyncSequence & Sendable>(
    with other: Other, gain: Float = 1, end: AudioMixer.End = .whenAllEnd
  ) -> MixedAudio where Other.Element == AudioBuffer {
    MixedAudio([MixInput(self), MixInput(other, gain: gain)], end: end)
  }
}
