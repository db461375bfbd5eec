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

  /// Whether no more outputs will follow; the stream then ends without requesting another buffer.
  var isOver: Bool { get }

  /// Adds the next buffer and returns the completed outputs, in order.
  mutating func process(_ buffer: AudioBuffer) throws(Failure) -> [Output]

  /// Returns the remaining outputs; called once, after the last buffer.
  mutating func flush() throws(Failure) -> [Output]
}

extension AudioProcessor {
  /// Zero, for a processor that holds no frames.
  public var heldFrames: FrameCount { 0 }

  /// False, for a processor that runs as long as its input.
  public var isOver: Bool { false }

  /// No outputs, for a processor that holds no frames.
  public mutating func flush() throws(Failure) -> [Output] { [] }
}

extension AsyncSequence where Element: AudioBlock {
  /// The outputs of a processor for this sequence; each iteration has its own processor.
  ///
  /// The returned sequence is pull-based: a buffer is requested when no outputs are left. The last
  /// elements are the processor's flushed outputs. An error of this sequence comes after the
  /// flushed outputs, so received audio is not lost. Cancellation is passed on to this sequence.
  public func processed<Processor: AudioProcessor>(
    by makeProcessor: @autoclosure @escaping @Sendable () -> Processor
  ) -> ProcessedAudio<Self, Processor, Failure> where Processor.Failure == Never {
    ProcessedAudio(
      base: self, makeProcessor: makeProcessor, baseFailure: { $0 },
      processorFailure: { (_: Never) -> Failure in })
  }

  /// The outputs of a processor that can fail.
  ///
  /// Until a failure, the sequence behaves like that of a processor that cannot fail.
  ///
  /// - Throws: the sequence's errors, and the processor's error instead of the outputs of a
  ///   rejected buffer. Each ends the sequence.
  public func processed<Processor: AudioProcessor>(
    by makeProcessor: @autoclosure @escaping @Sendable () -> Processor
  ) -> ProcessedAudio<Self, Processor, any Error> {
    ProcessedAudio(
      base: self, makeProcessor: makeProcessor, baseFailure: { $0 }, processorFailure: { $0 })
  }
}

/// The outputs of a processor for a sequence.
///
/// `Failure` is the sequence's error if the processor accepts every buffer; otherwise it is any
/// error.
public struct ProcessedAudio<Base: AsyncSequence, Processor: AudioProcessor, Failure: Error>:
  AsyncSequence
where Base.Element: AudioBlock {
  /// The output of the processor.
  public typealias Element = Processor.Output

  fileprivate let base: Base
  fileprivate let makeProcessor: @Sendable () -> Processor
  fileprivate let baseFailure: @Sendable (Base.Failure) -> Failure
  fileprivate let processorFailure: @Sendable (Processor.Failure) -> Failure

  /// Starts the base sequence with a new processor.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// Requests buffers from the base sequence until there is an output.
  public struct Iterator: AsyncIteratorProtocol {
    /// The source's iterator; nil after the end, so that a source such as a microphone is released.
    private var base: Base.AsyncIterator?
    private var processor: Processor
    /// The outputs that have not been requested yet.
    private var outputs: ArraySlice<Processor.Output> = []
    /// The error to throw after the outputs.
    private var failure: Failure?
    private let baseFailure: @Sendable (Base.Failure) -> Failure
    private let processorFailure: @Sendable (Processor.Failure) -> Failure

    fileprivate init(_ audio: ProcessedAudio) {
      let iterator = audio.base.makeAsyncIterator()
      processor = audio.makeProcessor()
      base = processor.isOver ? nil : iterator
      (baseFailure, processorFailure) = (audio.baseFailure, audio.processorFailure)
    }

    /// Returns the next output; nil after the end.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Failure) -> Element? {
      while outputs.isEmpty, base != nil { await advance(isolation: actor) }
      if let output = outputs.popFirst() { return output }
      if let failure = failure.take() { throw failure }
      return nil
    }

    private mutating func advance(isolation actor: isolated (any Actor)?) async {
      do throws(Base.Failure) {
        process(try await base?.next(isolation: actor)?.buffer)
      } catch {
        failure = baseFailure(error)
        process(nil)
      }
    }

    /// Adds a buffer to the processor, or flushes the processor if `buffer` is nil.
    private mutating func process(_ buffer: AudioBuffer?) {
      if buffer == nil { base = nil }
      do throws(Processor.Failure) {
        if let buffer {
          outputs = try processor.process(buffer)[...]
        } else {
          outputs = try processor.flush()[...]
        }
        if processor.isOver { base = nil }
      } catch {
        base = nil
        // An error of the base sequence takes precedence.
        failure = failure ?? processorFailure(error)
      }
    }
  }
}

extension ProcessedAudio: Sendable where Base: Sendable {}

extension AsyncSequence {
  /// Returns all elements once the sequence has ended; memory grows with their number.
  ///
  /// - Parameter actor: the caller's actor, on which this method and the operators of the sequence
  ///   run.
  /// - Throws: the errors of this sequence, and `CancellationError` in a canceled task, because
  ///   elements may be missing.
  public func collect(
    isolation actor: isolated (any Actor)? = #isolation
  ) async throws -> [Element] {
    var elements: [Element] = []
    var iterator = makeAsyncIterator()
    while let element = try await iterator.next(isolation: actor) {
      try Task.checkCancellation()
      elements.append(element)
    }
    try Task.checkCancellation()
    return elements
  }
}
