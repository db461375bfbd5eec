/// A state machine between two streams: buffers go in, and what comes out of each is returned.
///
/// It knows neither tasks nor time, so that it runs in a stream (`processed(by:)`), on a thread of
/// your own, or step by step in a test. Every operator on streams of `AudioBuffer`s is one.
///
/// The audio that it holds back must stay bounded, however long the audio is; `heldFrames` counts it.
public protocol AudioProcessor<Output, Failure> {
  /// The output: buffers, or measurements of them.
  associatedtype Output

  /// Why a buffer cannot be taken; `Never` where every buffer can.
  associatedtype Failure: Error = Never

  /// The frames that it holds back now.
  var heldFrames: FrameCount { get }

  /// Whether nothing more will come out, whatever goes in: the stream ends without asking on.
  var isOver: Bool { get }

  /// Takes the next buffer and gives what is complete with it, in order.
  mutating func take(_ buffer: AudioBuffer) throws(Failure) -> [Output]

  /// Gives the rest after the last buffer; it is called once, and nothing is taken afterwards.
  mutating func finish() throws(Failure) -> [Output]
}

extension AudioProcessor {
  /// Nothing is held back by a machine that gives every buffer at once.
  public var heldFrames: FrameCount { 0 }

  /// A machine goes on as long as its input does.
  public var isOver: Bool { false }

  /// There is no rest where nothing is held back.
  public mutating func finish() throws(Failure) -> [Output] { [] }
}

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
    fileprivate var queue: ProcessorQueue<Processor>
    private var failure: Failure?

    fileprivate init(base: Base.AsyncIterator, queue: ProcessorQueue<Processor>) {
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
        // A sequence that is over releases its source at once, which may be a microphone.
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
    fileprivate var queue: ProcessorQueue<Processor>
    private var failure: (any Error)?

    fileprivate init(base: Base.AsyncIterator, queue: ProcessorQueue<Processor>) {
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
        // A sequence that is over releases its source at once, which may be a microphone.
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
        // The error that ended the sequence below is the one to throw.
        return
      }
    }
  }
}

extension ThrowingProcessedAudio: Sendable where Base: Sendable {}

/// A processor with what came out of it and has not been asked for.
private struct ProcessorQueue<Processor: AudioProcessor> {
  private(set) var isOpen: Bool
  private var processor: Processor
  private var outputs: ArraySlice<Processor.Output> = []

  init(_ processor: Processor) {
    self.processor = processor
    isOpen = !processor.isOver
  }

  mutating func next() -> Processor.Output? { outputs.popFirst() }

  mutating func take(_ buffer: AudioBuffer) throws(Processor.Failure) {
    do throws(Processor.Failure) {
      outputs = try processor.take(buffer)[...]
      isOpen = !processor.isOver
    } catch {
      isOpen = false
      throw error
    }
  }

  mutating func finish() throws(Processor.Failure) {
    isOpen = false
    outputs = try processor.finish()[...]
  }
}
