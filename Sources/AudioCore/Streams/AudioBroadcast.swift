/// One source of audio for several consumers, each with its own policy.
///
/// ```swift
/// let broadcast = microphone.broadcast()
/// let toFile = broadcast.consumer(.waiting)
/// let toMeter = broadcast.consumer(.droppingOldest(48_000))
/// ```
///
/// The source begins when the first consumer asks for a buffer, so that all who joined before receive
/// its first frame. It is asked for the next buffer as soon as no `.waiting` consumer has one left,
/// whether or not the others have. While there is no consumer it is not asked.
///
/// A consumer that joins late receives what the source delivers from then on; after the end it sees the
/// end. A consumer that is cancelled or gone delays no other. The end, and an error, reach every
/// consumer after what waits for it. When the broadcast and all its consumers are gone the source
/// is cancelled.
///
/// Thread safety: any thread.
public final class AudioBroadcast<Failure: Error>: Sendable {
  private let pipe = StreamPipe(BroadcastQueue<Failure>())

  /// A broadcast whose source runs on this executor, or where tasks usually do.
  package init<Base: AsyncSequence & Sendable>(
    of base: Base, on executor: (any TaskExecutor)? = nil
  ) where Base.Element == AudioBuffer, Base.Failure == Failure {
    let source = Task(executorPreference: executor) { [pipe] in await pipe.run(base) }
    pipe.onTermination { source.cancel() }
  }

  deinit {
    pipe.change { $0.close() }
  }

  /// Adds a consumer, which belongs to the broadcast from now on.
  ///
  /// Buffers that arrive before it is iterated wait for it, and a `.waiting` consumer makes the
  /// source wait too.
  ///
  /// It is iterated once, and leaves with the end of its iteration, or when it is released.
  public func consumer(_ policy: BroadcastPolicy = .waiting) -> BroadcastConsumer<Failure> {
    BroadcastConsumer(membership: PipeReader(pipe: pipe) { $0.join(policy) })
  }
}

extension AsyncSequence where Element == AudioBuffer, Self: Sendable {
  /// Makes this sequence the source of a broadcast, which iterates it once.
  public func broadcast() -> AudioBroadcast<Failure> {
    AudioBroadcast(of: self)
  }
}

extension StreamPipe {
  /// Gives what the source has, as it is wanted.
  fileprivate func run<Base: AsyncSequence, Failure: Error>(_ base: Base) async
  where Base.Element == AudioBuffer, Base.Failure == Failure, Queue == BroadcastQueue<Failure> {
    // An iterator may open a device when it is made.
    guard await room() else { return }
    do throws(Failure) {
      var iterator = base.makeAsyncIterator()
      while await room(), let buffer = try await iterator.next(isolation: nil) {
        change { $0.send(buffer) }
      }
      change { $0.finish(nil) }
    } catch {
      change { $0.finish(error) }
    }
  }
}

/// What a broadcast does for a consumer that has not taken the buffers before.
public enum BroadcastPolicy: Hashable, Sendable {
  /// The source waits for it, and with the source all other consumers: nothing is lost.
  case waiting
  /// At most so many frames wait, but always the newest buffer; the oldest go, and the next buffer
  /// says how many.
  case droppingOldest(FrameCount)
}

/// A buffer of a broadcast, and the frames that this consumer lost before it.
public struct BroadcastAudio: Equatable, Sendable {
  /// The frames.
  public var buffer: AudioBuffer
  /// The frames right before it that this consumer was too slow for; a gap in the source is not
  /// among them.
  public var lost: FrameCount

  /// Describes a buffer.
  public init(_ buffer: AudioBuffer, lost: FrameCount = 0) {
    self.buffer = buffer
    self.lost = lost
  }
}

/// The buffers of a broadcast for one consumer, with its lost frames.
///
/// Where only the audio matters, `consumer.map(\.buffer)` is it; losses are gaps in its indices.
/// It ends with the source, with its errors. A task that is cancelled sees the end.
public struct BroadcastConsumer<Failure: Error>: AsyncSequence, Sendable {
  /// A buffer, and what was lost before it.
  public typealias Element = BroadcastAudio

  typealias Reader = PipeReader<BroadcastQueue<Failure>>

  /// What makes it a consumer: with the last copy of it, it leaves.
  fileprivate let membership: Reader

  /// Begins to take buffers; a second iteration would share them with the first.
  public func makeAsyncIterator() -> Iterator {
    Iterator(
      membership: membership, reading: Reader(pipe: membership.pipe, id: membership.id))
  }

  /// Takes one buffer after the other.
  public struct Iterator: AsyncIteratorProtocol {
    /// Keeps a consumer that only the loop uses.
    fileprivate let membership: Reader
    /// A loop that is left leaves the broadcast, even where the consumer lives on.
    fileprivate let reading: Reader

    /// The next buffer; nil after the end.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Failure) -> BroadcastAudio? {
      try await reading.next(isolation: actor)
    }
  }
}
