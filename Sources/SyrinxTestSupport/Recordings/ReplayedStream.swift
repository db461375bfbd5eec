import Synchronization

/// The lines of one task as the stream that they were.
final class ReplayedStream<Element: Sendable>: Sendable {
  private let pace: ReplayPace
  private let read: @Sendable (RecordedLine) async throws -> Element?
  // Held to take the next line.
  private let rest: Mutex<ArraySlice<RecordedLine>>

  private init(
    _ lines: [RecordedLine], pace: ReplayPace,
    read: @escaping @Sendable (RecordedLine) async throws -> Element?
  ) {
    (self.pace, self.read) = (pace, read)
    rest = Mutex(lines[...])
  }

  /// Each element when it is due; a line without one ends the stream.
  static func replaying(
    _ lines: [RecordedLine], pace: ReplayPace,
    read: @escaping @Sendable (RecordedLine) async throws -> Element?
  ) -> AsyncThrowingStream<Element, any Error> {
    let replayed = ReplayedStream(lines, pace: pace, read: read)
    return AsyncThrowingStream { try await replayed.next() }
  }

  private func next() async throws -> Element? {
    guard let line = rest.withLock({ $0.popFirst() }) else { return nil }
    do {
      try await pace.wait(until: .nanoseconds(line.ns))
    } catch {
      // A consumer that is cancelled sees the end, as with every stream.
      return nil
    }
    if let failed = line.failed { throw failed.value }
    return try await read(line)
  }
}
