import ClientDependencies

/// A stream that is noted while it is consumed; the consumer's demand stays the back-pressure.
final class RecordedStream<Element: Sendable>: @unchecked Sendable {
  enum Note {
    case element(Element)
    case end((any Error)?)
  }

  // Right because a stream has one consumer, which asks for one element at a time.
  private var iterator: AsyncThrowingStream<Element, any Error>.Iterator
  private let write: @Sendable (Note) async throws -> Void

  private init(
    _ stream: AsyncThrowingStream<Element, any Error>,
    write: @escaping @Sendable (Note) async throws -> Void
  ) {
    iterator = stream.makeAsyncIterator()
    self.write = write
  }

  /// The same stream; it throws as well what `write` throws.
  static func noting(
    _ stream: AsyncThrowingStream<Element, any Error>,
    write: @escaping @Sendable (Note) async throws -> Void
  ) -> AsyncThrowingStream<Element, any Error> {
    let recorded = RecordedStream(stream, write: write)
    return AsyncThrowingStream { try await recorded.next() }
  }

  private func next() async throws -> Element? {
    let element: Element?
    do {
      element = try await iterator.next()
    } catch {
      try await write(.end(error))
      throw error
    }
    try await write(element.map(Note.element) ?? .end(nil))
    return element
  }
}

/// What the time since now will be.
func stopwatch(_ clock: some Clock<Duration>) -> @Sendable () -> Duration {
  let start = clock.now
  return { start.duration(to: clock.now) }
}
