/// The buffers of a broadcast as one consumer gets them, with what it has lost.
///
/// Where only the audio matters, `consumer.map(\.buffer)` is it; losses are gaps in its indices.
/// It ends with the source, with its errors. A task that is cancelled sees the end.
public struct BroadcastConsumer<Failure: Error>: AsyncSequence, Sendable {
  /// A buffer, and what was lost before it.
  public typealias Element = BroadcastAudio

  let membership: Membership<Failure>

  /// Begins to take buffers; a second iteration would share them with the first.
  public func makeAsyncIterator() -> Iterator {
    Iterator(reading: Reading(membership: membership))
  }

  /// Takes one buffer after the other.
  public struct Iterator: AsyncIteratorProtocol {
    let reading: Reading<Failure>

    /// The next buffer; nil after the end.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Failure) -> BroadcastAudio? {
      let membership = reading.membership
      return try await membership.storage.next(for: membership.id, isolation: actor)
    }
  }
}

/// What makes a consumer one: when the last copy of it is gone, it leaves.
final class Membership<Failure: Error>: Sendable {
  let storage: BroadcastStorage<Failure>
  let id: Int

  init(storage: BroadcastStorage<Failure>, policy: BroadcastPolicy) {
    self.storage = storage
    id = storage.join(policy)
  }

  deinit {
    storage.leave(id)
  }
}

/// An iteration: a loop that is left leaves the broadcast, even where the consumer lives on.
final class Reading<Failure: Error>: Sendable {
  let membership: Membership<Failure>

  init(membership: Membership<Failure>) {
    self.membership = membership
  }

  deinit {
    membership.storage.leave(membership.id)
  }
}
