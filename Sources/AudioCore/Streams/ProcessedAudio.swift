extension AsyncSequence where Element == AudioBuffer {
  /// What a processor makes of this sequence; each iteration has a processor of its own.
  ///
  /// The sequence is pull-based: a buffer is asked for when nothing that came out is left. It ends
  /// after the last buffer and what the processor held back; an error of this sequence comes after
  /// that too, so that nothing which was received is lost. Cancelling does what it does to this
  /// sequence.
  public func processed<Processor: AudioProcessor>(
    by makeProcessor: @autoclosure @escaping @Sendable () -> Processor
  ) -> ProcessedAudio<Self, Processor> where Processor.Failure == Never {
    ProcessedAudio(base: self, makeProcessor: makeProcessor)
  }
}

/// What a processor that takes every buffer makes of a sequence; its errors are the sequence's.
public struct ProcessedAudio<Base: AsyncSequence, Processor: AudioProcessor>: AsyncSequence
where Base.Element == AudioBuffer, Processor.Failure == Never {
  /// What comes out of the processor.
  public typealias Element = Processor.Output
  /// Only the sequence below can fail.
  public typealias Failure = Base.Failure

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
    private var failure: Failure?

    init(base: Base.AsyncIterator, queue: ProcessorQueue<Processor>) {
      self.base = queue.isOpen ? base : nil
      self.queue = queue
    }

    /// The next output; nil after the end.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Failure) -> Element? {
      while true {
        if let output = queue.next() { return output }
        guard queue.isOpen else { return try end() }
        await advance(isolation: actor)
        // What is over lets go of its source at once, which may be a microphone.
        if !queue.isOpen { base = nil }
      }
    }

    private mutating func end() throws(Failure) -> Element? {
      guard let failure = failure.take() else { return nil }
      throw failure
    }

    private mutating func advance(isolation actor: isolated (any Actor)?) async {
      do throws(Failure) {
        if let buffer = try await base?.next(isolation: actor) {
          queue.take(buffer)
        } else {
          queue.finish()
        }
      } catch {
        failure = error
        queue.finish()
      }
    }
  }
}

extension ProcessedAudio: Sendable where Base: Sendable {}
