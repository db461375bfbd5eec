#if !PointFreeDependencies
/// Reads a sequence for a stream, which asks for one element at a time.
private final class Source<Base: AsyncSequence & Sendable>: @unchecked Sendable {
  // `@unchecked` is right, because the iterator is only used by the task whose turn it is.
  private var iterator: Base.AsyncIterator?
  private let base: Base
  // A stream's readers may be several tasks, which ask for elements at the same time.
  private let turns = Turns()

  init(_ base: Base) {
    self.base = base
  }

  func next() async throws -> Base.Element? {
    guard await turns.take() else { return nil }
    defer { turns.pass() }
    var reader = iterator ?? base.makeAsyncIterator()
    defer { iterator = reader }
    return try await reader.next()
  }
}

extension AsyncStream {
  /// A stream of what a sequence gives, until it ends or fails.
  ///
  /// The sequence is read as the stream is read, and no element is kept. Several readers have its
  /// elements by turns.
  public init<S: AsyncSequence>(_ sequence: S) where S.Element == Element, S: Sendable {
    let source = Source(sequence)
    self.init { try? await source.next() }
  }

  /// A stream without elements that ends only when its reader is cancelled.
  public static var never: Self {
    Self { _ in }
  }

  /// A stream without elements that ends at once.
  public static var finished: Self {
    Self { $0.finish() }
  }
}

extension AsyncThrowingStream where Failure == any Error {
  /// A stream of what a sequence gives, until it ends or throws.
  ///
  /// The sequence is read as the stream is read, and no element is kept. Several readers have its
  /// elements by turns.
  public init<S: AsyncSequence>(_ sequence: S) where S.Element == Element, S: Sendable {
    let source = Source(sequence)
    self.init { try await source.next() }
  }

  /// A stream without elements that ends only when its reader is cancelled.
  public static var never: Self {
    Self { _ in }
  }
}

extension AsyncSequence where Self: Sendable {
  /// The sequence as a stream, which ends where the sequence ends or fails.
  public func eraseToStream() -> AsyncStream<Element> {
    AsyncStream(self)
  }

  /// The sequence as a stream, which ends where the sequence ends and throws what it throws.
  public func eraseToThrowingStream() -> AsyncThrowingStream<Element, any Error> {
    AsyncThrowingStream(self)
  }
}

extension AsyncThrowingStream where Failure == any Error {
  /// A stream without elements, that ends at once or throws at once: the default of an endpoint
  /// that returns a stream.
  public static func finished(throwing error: Failure? = nil) -> Self {
    AsyncThrowingStream { $0.finish(throwing: error) }
  }
}
#endif
