/// Adds the audio of several inputs by frame index.
///
/// `step()` returns the next action: it requests an input's next buffer, or returns a buffer of the
/// mix.
public struct AudioMixer: Sendable {
  /// The condition that ends a mix.
  public enum End: Hashable, Sendable {
    /// The mix ends when the last input ends.
    case whenAllEnd
    /// The mix ends when the first input ends.
    case whenAnyEnds
  }

  /// The next step of a mix: request a buffer, return a buffer, or end.
  public enum Step: Equatable, Sendable {
    /// Pass the next buffer of this input to `push`, or call `end` if the input has ended.
    case ask(input: Int)
    /// The next frames of the mix.
    case give(AudioBuffer)
    /// The mix has ended.
    case end
  }

  fileprivate struct Input {
    var gain: Float
    var pending: AudioBuffer?
    /// The index of the first pending frame that is not yet mixed.
    var next: FrameCount = 0
    var end: FrameCount?
    var isOver = false
  }

  private var inputs: [Input]
  private let end: End
  private var format: AudioFormat?
  /// The number of the inputs' silenced samples that no buffer of the mix has reported yet.
  private var silencedSampleCount = 0

  /// Creates a mixer with an input for each gain.
  public init(gains: [Float], end: End = .whenAllEnd) {
    inputs = gains.map { Input(gain: $0) }
    self.end = end
  }

  /// The number of held frames: at most a buffer of each input.
  public var heldFrames: FrameCount {
    inputs.reduce(0) { $0 + $1.heldFrames }
  }

  /// Returns the next action.
  public mutating func step() -> Step {
    if end == .whenAnyEnds, inputs.contains(where: \.isOver) { return .end }
    if let index = inputs.firstIndex(where: { !$0.isOver && $0.pending == nil }) {
      return .ask(input: index)
    }
    return mixed().map(Step.give) ?? .end
  }

  /// Adds the requested buffer of an input.
  ///
  /// - Throws: `.formatsDiffer` if the buffer's format differs from earlier buffers of any input;
  ///   `.outOfOrder` if the buffer begins before frames that this input has already delivered.
  public mutating func push(_ buffer: AudioBuffer, from input: Int) throws(AudioStreamError) {
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
    silencedSampleCount += buffer.silencedSampleCount
  }

  /// Records that a requested input has ended.
  public mutating func end(of input: Int) {
    inputs[input].isOver = true
  }

  /// Returns the mixed frames up to the point where an input begins or needs another buffer.
  private mutating func mixed() -> AudioBuffer? {
    let pending = inputs.filter { $0.pending != nil }
    guard let format, let begin = pending.map(\.next).min() else { return nil }
    let places = pending.map { $0.next > begin ? $0.next : $0.next + $0.heldFrames }
    let end = places.min() ?? begin
    var sum = [Float](repeating: 0, count: (end - begin).rawValue * format.channelCount)
    for index in inputs.indices { inputs[index].add(to: &sum, from: begin, until: end) }
    var mix = AudioBuffer(format: format, samples: sum, firstFrame: begin)
    let timed = pending.lazy.compactMap(\.pending).first { $0.hostTime != nil }
    if let timed { mix.setTime(from: timed) }
    (mix.silencedSampleCount, silencedSampleCount) = (silencedSampleCount, 0)
    return mix
  }
}

extension AudioMixer.Input {
  fileprivate var heldFrames: FrameCount { pending.map { $0.endFrame - next } ?? 0 }

  /// Adds the held frames from `begin` to `end` to the mix and removes them.
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

/// The sum of several sequences.
///
/// Frames are added by their indices: frame 48,000 of every input sounds at the same time. An input
/// is silent during its gaps and before it begins. The mix has a gap where all inputs have gaps.
/// Nothing is clipped: the sum may exceed ±1.
///
/// The mix requests one buffer at a time, from an input without held frames. The slowest input sets
/// the pace, and at most one buffer of each input is held.
///
/// - Throws: the first error of an input, after the frames before it;
///   `AudioStreamError.formatsDiffer` and `.outOfOrder`. Each ends the mix.
public struct MixedAudio: AsyncSequence, Sendable {
  /// A buffer of the mix.
  public typealias Element = AudioBuffer
  /// Any error, because inputs can have different error types.
  public typealias Failure = any Error

  let inputs: [MixInput]
  let end: AudioMixer.End

  /// Creates a mix of these inputs; without inputs it is empty.
  public init(_ inputs: [MixInput], end: AudioMixer.End = .whenAllEnd) {
    self.inputs = inputs
    self.end = end
  }

  /// Starts every input.
  public func makeAsyncIterator() -> Iterator {
    Iterator(
      mixer: AudioMixer(gains: inputs.map(\.gain), end: end),
      inputs: inputs.map { $0.begin() })
  }

  /// Requests the buffers for the next frames from the inputs.
  public struct Iterator: AsyncIteratorProtocol {
    var mixer: AudioMixer
    var inputs: [MixReader]

    /// Returns the next frames of the mix; nil after its end.
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
        if let buffer = try await inputs[input](actor) {
          try mixer.push(buffer, from: input)
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

/// A sequence in a mix, with its gain.
public struct MixInput: Sendable {
  let gain: Float
  let begin: @Sendable () -> MixReader

  /// Creates an input whose samples are multiplied by `gain`.
  public init<Base: AsyncSequence & Sendable>(_ base: Base, gain: Float = 1)
  where Base.Element: AudioBlock {
    self.gain = gain
    begin = {
      var iterator = base.makeAsyncIterator()
      return { actor in try await iterator.next(isolation: actor)?.buffer }
    }
  }
}

/// Returns the next buffer of a sequence of any type and with any errors.
typealias MixReader = (isolated (any Actor)?) async throws -> AudioBuffer?

extension AsyncSequence where Element: AudioBlock, Self: Sendable {
  /// Mixes this sequence with another sequence, frame by frame; see `MixedAudio`.
  public func mixed<Other: AsyncSequence & Sendable>(
    with other: Other, gain: Float = 1, end: AudioMixer.End = .whenAllEnd
  ) -> MixedAudio where Other.Element: AudioBlock {
    MixedAudio([MixInput(self), MixInput(other, gain: gain)], end: end)
  }
}
