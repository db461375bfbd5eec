/// Adds audio of several inputs, frame by frame, by their indices.
///
/// `step()` returns the next action: it requests an input's next buffer, or returns a buffer of the mix.
public struct AudioMixer: Sendable {
  /// When a mix ends.
  public enum End: Hashable, Sendable {
    /// When the last input has ended.
    case whenAllEnd
    /// With the last frame of the input that ends first.
    case whenAnyEnds
  }

  /// What is to be done.
  public enum Step: Equatable, Sendable {
    /// Hand in the next buffer of this input with `take`, or its end with `end`.
    case ask(input: Int)
    /// The next frames of the mix.
    case give(AudioBuffer)
    /// The mix is over.
    case end
  }

  fileprivate struct Input {
    var gain: Float
    var pending: AudioBuffer?
    /// The index of the first pending frame that is not in the mix yet.
    var next: FrameCount = 0
    var end: FrameCount?
    var isOver = false
  }

  private var inputs: [Input]
  private let end: End
  private var format: AudioFormat?

  /// A mixer of as many inputs as there are gains, by which each is multiplied.
  public init(gains: [Float], end: End = .whenAllEnd) {
    inputs = gains.map { Input(gain: $0) }
    self.end = end
  }

  /// The frames that it holds: at most a buffer of each input.
  public var heldFrames: FrameCount {
    inputs.reduce(0) { $0 + $1.heldFrames }
  }

  /// What is to be done next.
  public mutating func step() -> Step {
    if end == .whenAnyEnds, inputs.contains(where: \.isOver) { return .end }
    if let index = inputs.firstIndex(where: { !$0.isOver && $0.pending == nil }) {
      return .ask(input: index)
    }
    return mixed().map(Step.give) ?? .end
  }

  /// Takes the next buffer of an input that was asked for.
  ///
  /// - Throws: `.formatsDiffer` where its format is not that of the buffers before it, of whichever
  ///   input; `.outOfOrder` where it lies before frames that this input gave already.
  public mutating func take(_ buffer: AudioBuffer, from input: Int) throws(AudioStreamError) {
    let expected = format ?? buffer.format
    guard buffer.format == expected else {
      throw .formatsDiffer(expected: expected, actual: buffer.format)
    }
    if let end = inputs[input].end, buffer.firstFrame < end {
      throw .outOfOrder(expected: end, actual: buffer.firstFrame)
    }
    format = expected
    inputs[input].end = buffer.endFrame
    inputs[input].next = buffer.firstFrame
    inputs[input].pending = buffer.isEmpty ? nil : buffer
  }

  /// Takes note that an input that was asked for has ended.
  public mutating func end(of input: Int) {
    inputs[input].isOver = true
  }

  /// The frames up to the next place where an input begins or needs another buffer.
  private mutating func mixed() -> AudioBuffer? {
    let pending = inputs.filter { $0.pending != nil }
    guard let format, let begin = pending.map(\.next).min() else { return nil }
    let places = pending.map { $0.next > begin ? $0.next : $0.next + $0.heldFrames }
    let end = places.min() ?? begin
    var sum = [Float](repeating: 0, count: (end - begin).rawValue * format.channelCount)
    for index in inputs.indices { inputs[index].add(to: &sum, from: begin, until: end) }
    return AudioBuffer(format: format, samples: sum, firstFrame: begin)
  }
}

extension AudioMixer.Input {
  fileprivate var heldFrames: FrameCount { pending.map { $0.endFrame - next } ?? 0 }

  /// Adds the frames that it has from `begin` until `end`, and releases them.
  fileprivate mutating func add(
    to sum: inout [Float], from begin: FrameCount, until end: FrameCount
  ) {
    guard let buffer = pending, next == begin else { return }
    let offset = (begin - buffer.firstFrame).rawValue * buffer.format.channelCount
    for index in sum.indices { sum[index] += gain * buffer.samples[offset + index] }
    next = end
    if end == buffer.endFrame { pending = nil }
  }
}

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
  /// This sequence and another one, added up frame by frame; see `MixedAudio`.
  public func mixed<Other: AsyncSequence & Sendable>(
    with other: Other, gain: Float = 1, end: AudioMixer.End = .whenAllEnd
  ) -> MixedAudio where Other.Element == AudioBuffer {
    MixedAudio([MixInput(self), MixInput(other, gain: gain)], end: end)
  }
}
