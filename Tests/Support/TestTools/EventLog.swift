package import AudioThreads
import Synchronization

/// The events that streams have produced so far; a test can wait for an event.
package final class EventLog<Event: Sendable>: Sendable {
  package typealias Predicate = @Sendable (Event) -> Bool

  private struct State {
    var events: [Event] = []
    var awaited: [(event: Predicate, gate: Gate)] = []
  }

  // The lock is held only to add an event or a waiting test.
  private let state = Mutex(State())

  package init() {}

  /// All events until now.
  package var events: [Event] { state.withLock { $0.events } }

  /// Reads a stream into the log; `begun` opens at the stream's first event, or at its end.
  package func follow(
    _ stream: AsyncThrowingStream<Event, any Error>
  ) -> (reading: Task<Void, any Error>, begun: Gate) {
    let begun = Gate()
    let reading = Task {
      defer { begun.open() }
      for try await event in stream {
        note(event)
        begun.open()
      }
    }
    return (reading, begun)
  }

  /// Returns as soon as the log contains a matching event.
  package func sees(_ event: @escaping Predicate) async {
    let gate = Gate()
    state.withLock { state in
      if state.events.contains(where: event) {
        gate.open()
      } else {
        state.awaited.append((event, gate))
      }
    }
    await gate.wait()
  }

  private func note(_ event: Event) {
    state.withLock { state in
      state.events.append(event)
      for awaited in state.awaited where awaited.event(event) { awaited.gate.open() }
      state.awaited.removeAll { $0.event(event) }
    }
  }
}
