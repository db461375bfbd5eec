/// One source of audio for several consumers, each with its own policy.
///
/// ```swift
/// let broadcast = microphone.broadcast()
/// let toFile = broadcast.consumer(.waiting)
/// let toMeter = broadcast.consumer(.droppingOldest(48_000))
/// ```
///
/// The source begins when the first consumer asks for a buffer, so that all who joined before hear
/// its first frame. It is asked for the next buffer as soon as no `.waiting` consumer has one left,
/// whether or not the others have. While there is no consumer it is not asked.
///
/// A consumer that joins late hears what the source gives from then on; after the end it sees the
/// end. One that is cancelled or goes away holds nobody up. The end, and an error, reach every
/// consumer after what waits for it. When the broadcast and all its consumers are gone the source
/// is cancelled.
///
/// Thread safety: any thread.
public final class AudioBroadcast<Failure: Error>: Sendable {
  private let storage: BroadcastStorage<Failure>

  /// A broadcast whose source runs on this executor, or where tasks usually do.
  package init<Base: AsyncSequence & Sendable>(
    of base: Base, on executor: (any TaskExecutor)? = nil
  ) where Base.Element == AudioBuffer, Base.Failure == Failure {
    storage = BroadcastStorage { storage in
      Task(executorPreference: executor) { await storage.run(base) }
    }
  }

  deinit {
    storage.close()
  }

  /// Adds a consumer, which belongs to the broadcast from now on.
  ///
  /// What comes before it is iterated waits for it, so that the source waits too where it is a
  /// `.waiting` one.
  ///
  /// It is iterated once, and leaves with the end of its iteration, or when it is let go of.
  public func consumer(_ policy: BroadcastPolicy = .waiting) -> BroadcastConsumer<Failure> {
    BroadcastConsumer(membership: Membership(storage: storage, policy: policy))
  }
}

extension AsyncSequence where Element == AudioBuffer, Self: Sendable {
  /// Makes this sequence the source of a broadcast, which iterates it once.
  public func broadcast() -> AudioBroadcast<Failure> {
    AudioBroadcast(of: self)
  }
}

extension BroadcastStorage {
  /// Gives what the source has, as it is wanted.
  fileprivate func run<Base: AsyncSequence>(_ base: Base) async
  where Base.Element == AudioBuffer, Base.Failure == Failure {
    do throws(Failure) {
      var iterator = base.makeAsyncIterator()
      while await isWanted(), let buffer = try await iterator.next(isolation: nil) {
        send(buffer)
      }
      finish(nil)
    } catch {
      finish(error)
    }
  }
}
