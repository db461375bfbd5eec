#if !PointFreeDependencies
/// Reads a sequence for a stream, one element at a time.
private final class ErasedSource<Base: AsyncSequence & Sendable>: @unchecked Sendable {
  // `@unchecked` is safe, because only the task with the lock uses the iterator.
  private var iterator: Base.AsyncIterator?
  private let base: Base
  // Several tasks may read a stream at the same time, so they take turns.
  private let turns = FairLock()

  init(_ base: Base) {
    self.base = base
  }

  func next() async throws -> Base.Element? {
    guard await turns.acquire() else { return nil }
    defer { turns.pass() }
    var reader = iterator ?? base.makeAsyncIterator()
    defer { iterator = reader }
    return try await reader.next()
  }
}

extension AsyncStream {
  /// Creates a stream of a sequence's elements, which ends when the sequence ends or fails.
  ///
  /// Reading the stream reads the sequence; nothing is buffered. If several tasks read the stream,
  /// each element goes to one of them.
  public init<S: AsyncSequence>(_ sequence: S) where S.Element == Element, S: Sendable {
    let source = ErasedSource(sequence)
    self.init { try? await source.next() }
  }

  /// A stream without elements that ends only when its reader is canceled.
  public static var never: Self {
    Self { _ in }
  }

  /// A stream without elements that ends at once.
  public static var finished: Self {
    Self { $0.finish() }
  }
}

extension AsyncThrowingStream where Failure == any Error {
  /// Creates a stream of a sequence's elements, which ends or throws when the sequence does.
  ///
  /// Reading the stream reads the sequence; nothing is buffered. If several tasks read the stream,
  /// each element goes to one of them.
  public init<S: AsyncSequence>(_ sequence: S) where S.Element == Element, S: Sendable {
    let source = ErasedSource(sequence)
    self.init { try await source.next() }
  }

  /// A stream without elements that ends only when its reader is canceled.
  public static var never: Self {
    Self { _ in }
  }

  /// Returns a stream that ends or throws at once; the default result of an endpoint that returns a
  /// stream.
  public static func finished(throwing error: Failure? = nil) -> Self {
    AsyncThrowingStream { $0.finish(throwing: error) }
  }
}

extension AsyncSequence where Self: Sendable {
  /// Returns the sequence as a stream, which ends when the sequence ends or fails.
  public func eraseToStream() -> AsyncStream<Element> {
    AsyncStream(self)
  }

  /// Returns the sequence as a stream, which ends when the sequence ends and rethrows its error.
  public func eraseToThrowingStream() -> AsyncThrowingStream<Element, any Error> {
    AsyncThrowingStream(self)
  }
}

/// An asynchronous lock that tasks acquire in the order of their requests.
final class FairLock: Sendable {
  private struct State {
    var isTaken = false
    var lastID = 0
    var waiting: [(id: Int, turn: CheckedContinuation<Bool, Never>)] = []

    mutating func remove(_ id: Int) -> CheckedContinuation<Bool, Never>? {
      waiting.firstIndex { $0.id == id }.map { waiting.remove(at: $0).turn }
    }
  }

  // The lock is held for one change. Waiting tasks are resumed after its release.
  private let state = Lock(State())

  /// Waits for the lock and holds it until ``pass()``.
  ///
  /// - Returns: false, without the lock, if the task was canceled while it waited.
  func acquire() async -> Bool {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { wait(id, $0) }
    } onCancel: {
      cancel(id)
    }
  }

  /// Passes the lock to the next waiting task.
  func pass() {
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      state.isTaken = !state.waiting.isEmpty
      return state.waiting.isEmpty ? nil : state.waiting.removeFirst().turn
    }
    next?.resume(returning: true)
  }

  private func wait(_ id: Int, _ turn: CheckedContinuation<Bool, Never>) {
    let isFree = state.withLock { state in
      defer { state.isTaken = true }
      if state.isTaken { state.waiting.append((id, turn)) }
      return !state.isTaken
    }
    if isFree { return turn.resume(returning: true) }
    // If the task was canceled before it began to wait, the cancellation handler found nothing.
    if Task.isCancelled { cancel(id) }
  }

  private func cancel(_ id: Int) {
    state.withLock { $0.remove(id) }?.resume(returning: false)
  }
}
#endif
