extension AsyncSequence where Element == AudioBuffer {
  /// What a processor that can fail makes of this sequence; otherwise as for one that cannot.
  ///
  /// - Throws: the sequence throws its own errors, and the processor's in place of what would have
  ///   come out of the buffer that was refused; after either it has ended.
  public func processed<Processor: AudioProcessor>(
    by makeProcessor: @autoclosure @escaping @Sendable () -> Processor
  ) -> ThrowingProcessedAudio<Self, Processor> {
    ThrowingProcessedAudio(base: self, makeProcessor: makeProcessor)
  }
}

/// What a processor makes of a sequence, where both can fail.
public struct ThrowingProcessedAudio<Base: AsyncSequence, Processor: AudioProcessor>: AsyncSequence
where Base.Element == AudioBuffer {
  /// What comes out of the processor.
  public typealias Element = Processor.Output
  /// The sequence below and the processor fail in different ways.
  public typealias Failure = any Error

  let base: Base
  let makeProcessor: @Sendable () -> Processor

  /// Begins the sequence below with a new processor.
  public func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), queue: ProcessorQueue(makeProcessor()))
  }

  /// Asks the sequence below for buffers until something comes out.
  public struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator?
    var queue: ProcessorQueue<Processor>
    private var failure: (any Error)?

    init(base: Base.AsyncIterator, queue: ProcessorQueue<Processor>) {
      self.base = queue.isOpen ? base : nil
      self.queue = queue
    }

    /// The next output; nil after the end.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(any Error) -> Element? {
      while true {
        if let output = queue.next() { return output }
        guard queue.isOpen else { return try end() }
        await advance(isolation: actor)
        // What is over lets go of its source at once, which may be a microphone.
        if !queue.isOpen { base = nil }
      }
    }

    private mutating func end() throws -> Element? {
      guard let failure = failure.take() else { return nil }
      throw failure
    }

    private mutating func advance(isolation actor: isolated (any Actor)?) async {
      do {
        if let buffer = try await base?.next(isolation: actor) {
          try queue.take(buffer)
        } else {
          try queue.finish()
        }
      } catch {
        failure = error
        giveRest()
      }
    }

    /// After an error of the sequence below the rest comes first; a processor that failed has none.
    private mutating func giveRest() {
      guard queue.isOpen else { return }
      do throws(Processor.Failure) {
        try queue.finish()
      } catch {
        // The error that ended the sequence below is the one that is told.
        return
      }
    }
  }
}

extension ThrowingProcessedAudio: Sendable where Base: Sendable {}
