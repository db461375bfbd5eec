/// A state machine between two streams: it turns each buffer into outputs.
///
/// It needs neither tasks nor time, so it runs in a stream (`processed(by:)`), on your own thread,
/// or step by step in a test. Every operator on streams of `AudioBuffer`s is a processor.
///
/// The held audio must stay bounded; `heldFrames` counts it.
public protocol AudioProcessor<Output, Failure> {
  /// The output: buffers, or measurements of them.
  associatedtype Output

  /// The error for a rejected buffer; `Never` if every buffer is accepted.
  associatedtype Failure: Error = Never

  /// The number of frames held now.
  var heldFrames: FrameCount { get }

  /// Whether there are no more outputs, so the stream ends without another request.
  var isOver: Bool { get }

  /// Adds the next buffer and returns the completed outputs, in order.
  mutating func process(_ buffer: AudioBuffer) throws(Failure) -> [Output]

  /// Returns the remaining outputs after the last buffer; it is called once, and no buffer follows.
  mutating func flush() throws(Failure) -> [Output]
}

extension AudioProcessor {
  /// Zero, for a processor that holds no frames.
  public var heldFrames: FrameCount { 0 }

  /// False, for a processor that runs as long as its input.
  public var isOver: Bool { false }

  /// Empty, for a processor that holds no frames.
  public mutating func flush() throws(Failure) -> [Output] { [] }
}

extension AsyncSequence where Element == AudioBuffer {
  /// The outputs of a processor for this sequence; each iteration has its own processor.
  ///
  /// The sequence is pull-based: a buffer is requested when no outputs are left. It ends after the
  /// last buffer and the processor's flushed output. An error of this sequence comes after the
  /// flushed output, so received audio is not lost. Cancellation is passed on to this sequence.
  public func processed<Processor: AudioProcessor>(
    by makeProcessor: @autoclosure @escaping @Sendable () -> Processor
  ) -> ProcessedAudio<Self, Processor> where Processor.Failure == Never {
    ProcessedAudio(base: self, makeProcessor: makeProcessor)
  }
}

/// The outputs of a processor that accepts every buffer; its errors are those of the sequence.
public struct ProcessedAudio<Base: AsyncSequence, Processor: AudioProcessor>: AsyncSequence
where Base.Element == AudioBuffer, Processor.Failure == Never {
  /// The output of the processor.
  public typealias Element = Processor.Output
  /// Only the base sequence can fail.
  public typealias Failure = Base.Failure

  let base: Base
  let makeProcessor: @Sendable () -> Processor

  /// Starts the base sequence with a new processor.
  public func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), queue: ProcessorQueue(makeProcessor()))
  }

  /// Requests buffers from the base sequence until there is an output.
  public struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator?
    fileprivate var queue: ProcessorQueue<Processor>
    private var failure: Failure?

    fileprivate init(base: Base.AsyncIterator, queue: ProcessorQueue<Processor>) {
      self.base = queue.isOpen ? base : nil
      self.queue = queue
    }

    /// Returns the next output; nil after the end.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Failure) -> Element? {
      while true {
        if let output = queue.next() { return output }
        guard queue.isOpen else { return try end() }
        await advance(isolation: actor)
        // A finished sequence releases its source at once, because that may be a microphone.
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
          queue.process(buffer)
        } else {
          queue.flush()
        }
      } catch {
        failure = error
        queue.flush()
      }
    }
  }
}

extension ProcessedAudio: Sendable where Base: Sendable {}

extension AsyncSequence where Element == AudioBuffer {
  /// The outputs of a processor that can fail; otherwise like the method for processors that
  /// cannot.
  ///
  /// - Throws: the sequence's errors, and the processor's error instead of the outputs of a
  ///   rejected buffer. Each ends the sequence.
  public func processed<Processor: AudioProcessor>(
    by makeProcessor: @autoclosure @escaping @Sendable () -> Processor
  ) -> ThrowingProcessedAudio<Self, Processor> {
    ThrowingProcessedAudio(base: self, makeProcessor: makeProcessor)
  }
}

/// The outputs of a processor for a sequence, where both can fail.
public struct ThrowingProcessedAudio<Base: AsyncSequence, Processor: AudioProcessor>: AsyncSequence
where Base.Element == AudioBuffer {
  /// The output of the processor.
  public typealias Element = Processor.Output
  /// The base sequence and the processor have different errors.
  public typealias Failure = any Error

  let base: Base
  let makeProcessor: @Sendable () -> Processor

  /// Starts the base sequence with a new processor.
  public func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), queue: ProcessorQueue(makeProcessor()))
  }

  /// Requests buffers from the base sequence until there is an output.
  public struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator?
    fileprivate var queue: ProcessorQueue<Processor>
    private var failure: (any Error)?

    fileprivate init(base: Base.AsyncIterator, queue: ProcessorQueue<Processor>) {
      self.base = queue.isOpen ? base : nil
      self.queue = queue
    }

    /// Returns the next output; nil after the end.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(any Error) -> Element? {
      while true {
        if let output = queue.next() { return output }
        guard queue.isOpen else { return try end() }
        await advance(isolation: actor)
        // A finished sequence releases its source at once, because that may be a microphone.
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
          try queue.process(buffer)
        } else {
          try queue.flush()
        }
      } catch {
        failure = error
        giveRest()
      }
    }

    /// Queues the remaining outputs before an error of the base sequence; a failed processor has
    /// none.
    private mutating func giveRest() {
      guard queue.isOpen else { return }
      do throws(Processor.Failure) {
        try queue.flush()
      } catch {
        // The base sequence's error takes precedence.
        return
      }
    }
  }
}

extension ThrowingProcessedAudio: Sendable where Base: Sendable {}

/// A processor and its outputs that have not been requested yet.
private struct ProcessorQueue<Processor: AudioProcessor> {
  private(set) var isOpen: Bool
  private var processor: Processor
  private var outputs: ArraySlice<Processor.Output> = []

  init(_ processor: Processor) {
    self.processor = processor
    isOpen = !processor.isOver
  }

  mutating func next() -> Processor.Output? { outputs.popFirst() }

  mutating func process(_ buffer: AudioBuffer) throws(Processor.Failure) {
    do throws(Processor.Failure) {
      outputs = try processor.process(buffer)[...]
      isOpen = !processor.isOver
    } catch {
      isOpen = false
      throw error
    }
  }

  mutating func flush() throws(Processor.Failure) {
    isOpen = false
    outputs = try processor.flush()[...]
  }
}
