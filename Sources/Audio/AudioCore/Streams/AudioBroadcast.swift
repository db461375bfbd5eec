/// Distributes one source of audio to several consumers, each with its own policy.
///
/// ```swift
/// let broadcast = microphone.broadcast()
/// let toFile = broadcast.consumer(.waiting)
/// let toMeter = broadcast.consumer(.droppingOldestAfter(.seconds(1)))
/// ```
///
/// The source starts when a consumer first requests a buffer, so all consumers that joined earlier
/// receive its first frame. Each later buffer is requested when no `.waiting` consumer has unread
/// buffers; see `BroadcastPolicy`. Without consumers, the source waits.
///
/// A consumer that joins late receives the buffers from then on, or only the end if the source has
/// ended. A canceled or released consumer does not delay the others. The end and errors reach each
/// consumer after its waiting buffers. The source is canceled when the broadcast and all its
/// consumers are released.
///
/// Thread safety: any thread.
public final class AudioBroadcast<Failure: Error>: Sendable {
  private let pipe = StreamPipe(BroadcastQueue<Failure>())

  /// Creates a broadcast whose source runs on `executor`, or on the default executor for nil.
  fileprivate init<Base: AsyncSequence & Sendable>(
    of base: Base, on executor: (any TaskExecutor)?
  ) where Base.Element: AudioBlock, Base.Failure == Failure {
    let source = Task(executorPreference: executor) { [pipe] in await pipe.run(base) }
    pipe.onTermination { source.cancel() }
  }

  deinit {
    pipe.change { $0.close() }
  }

  /// Adds a consumer.
  ///
  /// Buffers are queued for the consumer even before its iteration starts. Until a `.waiting`
  /// consumer reads or is released, no other consumer gets new buffers.
  ///
  /// A consumer supports one iteration. It is removed when the iteration ends, or when it is
  /// released.
  public func consumer(_ policy: BroadcastPolicy) -> BroadcastConsumer<Failure> {
    BroadcastConsumer(membership: PipeReader(pipe: pipe) { $0.join(policy) })
  }

  /// Adds a consumer for which the source waits.
  @available(
    *, deprecated,
    message: "choose .waiting, or .droppingOldestAfter if this consumer must not stop the others"
  )
  public func consumer() -> BroadcastConsumer<Failure> { consumer(.waiting) }
}

extension AsyncSequence where Element: AudioBlock, Self: Sendable {
  /// Makes this sequence the source of a broadcast.
  ///
  /// The broadcast iterates the sequence once, in a separate task.
  ///
  /// - Parameter executor: the preferred executor of the task, such as that of a `StreamDiagram`;
  ///   nil for the default executor.
  public func broadcast(on executor: (any TaskExecutor)? = nil) -> AudioBroadcast<Failure> {
    AudioBroadcast(of: self, on: executor)
  }
}

extension StreamPipe {
  /// Sends the source's buffers on demand.
  fileprivate func run<Base: AsyncSequence, Failure: Error>(_ base: Base) async
  where Base.Element: AudioBlock, Base.Failure == Failure, Queue == BroadcastQueue<Failure> {
    // Waits for the first request, because creating an iterator may open a device.
    guard await room() else { return }
    do throws(Failure) {
      var iterator = base.makeAsyncIterator()
      while await room(), let buffer = try await iterator.next(isolation: nil)?.buffer {
        change { $0.send(buffer) }
      }
      change { $0.finish(nil) }
    } catch {
      change { $0.finish(error) }
    }
  }
}

/// The policy for a consumer that is slower than the source.
public enum BroadcastPolicy: Hashable, Sendable {
  /// The source waits for this consumer, and so do all other consumers.
  ///
  /// The broadcast itself drops no audio. If a microphone has to wait too long, its audio is lost
  /// for all consumers. A consumer that never reads stops all others.
  case waiting
  /// At most this duration of audio waits; the newest buffer is always kept.
  ///
  /// The oldest buffers are dropped, at least an eighth of them at a time, and the next buffer
  /// reports the number of lost frames.
  case droppingOldestAfter(Duration)
}

extension BroadcastPolicy {
  /// The maximum number of waiting frames; nil if the source waits.
  fileprivate func limit(at rate: SampleRate) -> FrameCount? {
    switch self {
    case .waiting: nil
    case .droppingOldestAfter(let limit): FrameCount(limit, at: rate)
    }
  }
}

/// A buffer of a broadcast, with the number of frames that this consumer lost before it.
public struct BroadcastAudio: AudioBlock, Equatable, Sendable {
  /// The buffer from the source.
  public var buffer: AudioBuffer
  /// The number of frames that this consumer lost just before the buffer, because it was too slow.
  ///
  /// Gaps in the source do not count.
  public var lost: FrameCount

  /// Creates a buffer.
  public init(_ buffer: AudioBuffer, lost: FrameCount = 0) {
    self.buffer = buffer
    self.lost = lost
  }
}

/// One consumer's buffers of a broadcast, each with the number of frames lost before it.
///
/// Lost frames are gaps in the frame indices. All audio operators apply. The sequence ends with
/// the source, and throws the source's errors. In a canceled task, the sequence ends.
public struct BroadcastConsumer<Failure: Error>: AsyncSequence, Sendable {
  /// A buffer with the number of lost frames before it.
  public typealias Element = BroadcastAudio

  typealias Reader = PipeReader<BroadcastQueue<Failure>>

  /// The consumer's membership in the broadcast; the consumer leaves when its last copy is
  /// released.
  fileprivate let membership: Reader

  /// Starts to consume buffers.
  ///
  /// A second iterator would share the buffers with the first.
  public func makeAsyncIterator() -> Iterator {
    Iterator(
      membership: membership, reading: Reader(pipe: membership.pipe, id: membership.id))
  }

  /// Returns the buffers in order.
  public struct Iterator: AsyncIteratorProtocol {
    /// Keeps the consumer in the broadcast even if only this iterator is left.
    fileprivate let membership: Reader
    /// Removes the consumer when the iteration ends, even if other code retains the consumer.
    fileprivate let reading: Reader

    /// Returns the next buffer; nil after the end.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Failure) -> BroadcastAudio? {
      try await reading.next(isolation: actor)
    }
  }
}

/// The waiting buffers of a broadcast's consumers.
struct BroadcastQueue<Failure: Error>: PipeQueue {
  private(set) var isClosed = false
  /// Whether all consumers have left and no other can join.
  private(set) var isAbandoned = false
  private var failure: Failure?
  private var consumers: [Int: ConsumerBuffers] = [:]
  private var lastID = 0
  private var isAskedFor = false
  private var allowsJoining = true

  /// Whether the source may send its next buffer.
  ///
  /// The source starts with the first request. It waits while there are no consumers, or while a
  /// `.waiting` consumer has unread buffers.
  var hasRoom: Bool {
    isClosed || isAskedFor && !consumers.isEmpty && consumers.values.allSatisfy(\.hasRoom)
  }

  /// The number of frames that wait for the slowest consumer.
  var heldFrames: FrameCount { consumers.values.map(\.frameCount).max() ?? 0 }

  /// Adds a consumer, which receives the buffers from now on.
  mutating func join(_ policy: BroadcastPolicy) -> Int {
    lastID += 1
    consumers[lastID] = ConsumerBuffers(policy: policy)
    return lastID
  }

  mutating func send(_ buffer: AudioBuffer) {
    for id in consumers.keys { consumers[id]?.append(buffer) }
  }

  /// Ends the broadcast after the waiting buffers; later ends are ignored.
  mutating func finish(_ failure: Failure?) {
    if !isClosed { (isClosed, self.failure) = (true, failure) }
  }

  mutating func next(for id: Int) -> PipeStep<BroadcastAudio, Failure> {
    guard let consumer = consumers[id] else { return .end(nil) }
    isAskedFor = true
    if let audio = consumers[id]?.next() { return .element(audio) }
    guard isClosed else { return .wait }
    consumers[id]?.hasSeenEnd = true
    return .end(consumer.hasSeenEnd ? nil : failure)
  }

  mutating func abandon(by id: Int) {
    consumers[id] = nil
    abandonIfDeserted()
  }

  /// Prevents further consumers from joining.
  mutating func close() {
    allowsJoining = false
    abandonIfDeserted()
  }

  private mutating func abandonIfDeserted() {
    if !isClosed, !allowsJoining, consumers.isEmpty { (isClosed, isAbandoned) = (true, true) }
  }
}

/// The waiting buffers of one consumer.
struct ConsumerBuffers {
  private(set) var frameCount: FrameCount = 0
  /// Whether the consumer has received the end of the broadcast.
  var hasSeenEnd = false
  private let policy: BroadcastPolicy
  private var waiting: [BroadcastAudio] = []

  init(policy: BroadcastPolicy) {
    self.policy = policy
  }

  /// Whether the source may send another buffer.
  var hasRoom: Bool { policy != .waiting || waiting.isEmpty }

  mutating func append(_ buffer: AudioBuffer) {
    waiting.append(BroadcastAudio(buffer))
    frameCount += buffer.frameCount
    guard let limit = policy.limit(at: buffer.format.sampleRate), frameCount > limit else { return }
    for dropped in waiting.removeOldest(beyond: limit, by: \.buffer.frameCount) {
      frameCount -= dropped.buffer.frameCount
      waiting[0].lost += dropped.lost + dropped.buffer.frameCount
      waiting[0].buffer.silencedSampleCount += dropped.buffer.silencedSampleCount
    }
  }

  mutating func next() -> BroadcastAudio? {
    guard !waiting.isEmpty else { return nil }
    let first = waiting.removeFirst()
    frameCount -= first.buffer.frameCount
    return first
  }
}
