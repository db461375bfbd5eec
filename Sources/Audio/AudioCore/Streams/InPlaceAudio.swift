/// A sequence whose buffers a function changes in place.
public struct InPlaceAudio<Base: AsyncSequence, State>: AsyncSequence
where Base.Element: AudioBlock {
  /// The changed buffers.
  public typealias Element = AudioBuffer
  /// The error of the base sequence.
  public typealias Failure = Base.Failure

  fileprivate let base: Base
  fileprivate let makeState: @Sendable () -> State
  fileprivate let body: @Sendable (inout State, inout AudioBuffer) -> Void

  /// Starts the base sequence with a new state.
  public func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), state: makeState(), body: body)
  }

  /// Changes each buffer of the base sequence.
  public struct Iterator: AsyncIteratorProtocol {
    /// The source's iterator; nil after the end, so that a source such as a microphone is released.
    fileprivate var base: Base.AsyncIterator?
    fileprivate var state: State
    fileprivate let body: @Sendable (inout State, inout AudioBuffer) -> Void

    /// Returns the next changed buffer; nil after the end.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Base.Failure) -> AudioBuffer? {
      guard var buffer = try await base?.next(isolation: actor)?.buffer else {
        base = nil
        return nil
      }
      body(&state, &buffer)
      return buffer
    }
  }
}

extension InPlaceAudio: Sendable where Base: Sendable {}

extension AsyncSequence where Element: AudioBlock {
  /// Changes each buffer in place with a stateful function, such as a filter.
  ///
  /// ```swift
  /// microphone.processed(with: HighPass()) { filter, buffer in
  ///   buffer.withMutableSamples { filter.apply(to: &$0) }
  /// }
  /// ```
  ///
  /// No memory is allocated for each buffer, unless the source retains its buffers. For an operator
  /// that holds frames or can fail, implement an `AudioProcessor`.
  ///
  /// - Parameters:
  ///   - state: the state before the first buffer; each iteration has its own.
  ///   - body: changes the state and the buffer.
  public func processed<State>(
    with state: @autoclosure @escaping @Sendable () -> State,
    _ body: @escaping @Sendable (_ state: inout State, _ buffer: inout AudioBuffer) -> Void
  ) -> InPlaceAudio<Self, State> {
    InPlaceAudio(base: self, makeState: state, body: body)
  }

  /// Transforms every sample in place.
  public func mapSamples(
    _ transform: @escaping @Sendable (_ sample: Float) -> Float
  ) -> InPlaceAudio<Self, Void> {
    processed(with: ()) { _, buffer in
      buffer.withMutableSamples { samples in
        for index in samples.indices { samples[index] = transform(samples[index]) }
      }
    }
  }
}
