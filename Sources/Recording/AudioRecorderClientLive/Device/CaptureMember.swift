import AudioCore
import AudioThreads
import Synchronization

/// A consumer of a shared capture.
///
/// A consumer that may block, as a disk does, gets its own thread and queue as soon as there are
/// others. The capture's thread serves the others.
// `@unchecked Sendable` is right because the consumer belongs to one thread at a time: to the one
// that makes it, then to the capture's, then to its own, and each of them starts the next.
final class CaptureMember: @unchecked Sendable {
  let number: Int
  private let mayBlock: Bool
  private let consumer: any CaptureConsumer
  private let ended: (Result<Void, any Error>) -> Void
  private let stopping = Atomic<Bool>(false)
  /// Set once, by the capture's thread.
  private var queue: MemberQueue?
  /// The capture's frame at which the member's timeline begins: the first that it gets.
  private var origin: FrameCount?

  private static let numbers = Atomic<Int>(0)

  /// - Parameter ended: called once, after the consumer is finished.
  init(
    _ consumer: any CaptureConsumer, mayBlock: Bool,
    ended: @escaping (Result<Void, any Error>) -> Void
  ) {
    (self.consumer, self.mayBlock, self.ended) = (consumer, mayBlock, ended)
    (onDeviceLoss, mayStall) = (consumer.onDeviceLoss, consumer.mayStall)
    number = Self.numbers.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// What happens to the member when the device is lost.
  let onDeviceLoss: DeviceLossPolicy

  /// Whether it may block forever, as a write to a pipe can; it never runs on the capture's thread.
  let mayStall: Bool

  /// Whether the member was stopped.
  var isStopping: Bool { stopping.load(ordering: .acquiring) }

  /// Whether the member was stopped or wants no more; for the capture's thread.
  var wantsToLeave: Bool { isStopping || queue?.isRefused == true }

  /// How much audio may be joined into one block; for the capture's thread.
  var batchDuration: Duration { queue == nil ? consumer.batchDuration : .zero }

  /// Stops the member; from any thread.
  func stop() {
    stopping.store(true, ordering: .releasing)
  }

  /// Moves a consumer that may block to its own thread, so that it does not delay others; if the
  /// system refuses a thread, it stays on the capture's.
  ///
  /// - Parameters:
  ///   - lockstep: the lockstep of a virtual card, which waits for the consumer.
  ///   - leave: called when the consumer wants no more.
  func startThread(_ lockstep: Lockstep? = nil, leave: @escaping @Sendable () -> Void) {
    guard mayBlock, queue == nil, let queue = try? MemberQueue(lockstep: lockstep) else { return }
    let thread = try? DedicatedThread.start(name: "syrinx-record") { [self] in
      serve(queue, leave)
    }
    if thread != nil { self.queue = queue }
  }

  /// Takes a block of the capture; false if the member wants no more.
  ///
  /// A loss before its first block is no gap: its timeline begins there.
  func take(_ captured: DeviceAudio) throws -> Bool {
    var captured = captured
    if origin == nil { captured.lost = 0 }
    if origin == nil, captured.event != nil { return try pass(captured) }
    let origin = origin ?? captured.buffer.firstFrame
    self.origin = origin
    captured.buffer.firstFrame = captured.buffer.firstFrame - origin
    return try pass(captured)
  }

  private func pass(_ captured: DeviceAudio) throws -> Bool {
    guard let queue else { return try consumer.take(captured) }
    return queue.push(captured)
  }

  /// Finishes the member, because it left or because the capture has ended.
  func finish(_ outcome: Result<Void, any Error>) {
    guard let queue else { return complete(outcome) }
    queue.finish(outcome)
  }

  private func serve(_ queue: MemberQueue, _ leave: () -> Void) {
    // The member itself may live as long as the device.
    defer { queue.releaseTime() }
    while true {
      switch queue.pop() {
      case .end(let outcome): return complete(outcome)
      case .block(let captured):
        let wantsMore = Result { try consumer.take(captured) }
        if case .success(true) = wantsMore { continue }
        queue.refuse()
        leave()
        queue.waitForRelease()
        return complete(wantsMore.map { _ in })
      }
    }
  }

  private func complete(_ outcome: Result<Void, any Error>) {
    let finishing = Result { try consumer.finish() }
    ended(outcome.flatMap { finishing })
  }
}

/// The queue of a consumer with its own thread.
///
/// It is not a `StreamPipe`, because both of its ends block threads, one of them with a timeout.
///
/// It holds as much as the ring. While it is full, the writer waits, but only briefly: a disk that
/// hangs or is too slow must not cost other members a frame. After that, blocks that find no room are
/// dropped, so that the recording lacks no more than it must, and the next block reports the loss.
final class MemberQueue: Sendable {
  /// How long the writer waits in total until the reader has caught up by half.
  ///
  /// The ring behind the writer holds much more.
  static let timeout = Duration.seconds(2)

  /// Waits for a signal with a timeout; returns the time waited.
  typealias Wait = @Sendable (WakeUp, _ atMost: Duration) -> Duration

  /// What the reader gets.
  enum Element {
    case block(DeviceAudio)
    /// How the capture ended; nothing follows.
    case end(Result<Void, any Error>)
  }

  private enum End {
    case open
    /// Nothing follows the queued blocks.
    case finished(Result<Void, any Error>)
    /// The consumer wants no more.
    case refused

    var isRefused: Bool {
      if case .refused = self { true } else { false }
    }
  }

  private struct State {
    let depth: Duration
    let timeout: Duration
    var timeLeft: Duration
    var blocks: [DeviceAudio] = []
    var queued = Duration.zero
    /// What was dropped since the last block: no frames, and the number that was lost.
    var missing: DeviceAudio?
    var end = End.open
    var isReleased = false

    init(depth: Duration, timeout: Duration) {
      (self.depth, self.timeout, timeLeft) = (depth, timeout, timeout)
    }

    /// Queues or drops a block; nil if the writer must wait for room.
    ///
    /// A reader that has used up the time gets no more before it has caught up.
    mutating func take(_ block: DeviceAudio) -> Bool? {
      if end.isRefused { return false }
      if block.event != nil {
        // Events need no room and are never dropped.
        blocks += [missing.take(), block].compactMap(\.self)
        return true
      }
      let hasRoom = queued < depth
      guard hasRoom || timeLeft <= .zero else { return nil }
      var block = block
      block.lost += missing?.lost ?? 0
      if hasRoom {
        missing = nil
        blocks.append(block)
        queued += block.buffer.duration
      } else {
        missing = block.asLost
      }
      return true
    }

    /// Takes the next element; nil if the reader must wait for it.
    mutating func next() -> Element? {
      if !blocks.isEmpty {
        let block = blocks.removeFirst()
        queued -= block.buffer.duration
        if queued <= depth / 2 { timeLeft = timeout }
        return .block(block)
      }
      guard case .finished(let outcome) = end else { return nil }
      return .end(outcome)
    }
  }

  // Held for a few instructions by the two threads.
  private let state: Mutex<State>
  /// Holds the time of a virtual card until the reader waits for a block.
  private let hold: TimeHold?
  private let readerWakeUp: WakeUp
  private let writerWakeUp: WakeUp
  private let wait: Wait

  init(
    depth: Duration = CaptureLink.depth, timeout: Duration = MemberQueue.timeout,
    lockstep: Lockstep? = nil,
    wait: @escaping Wait = { wakeUp, limit in
      let before = ContinuousClock.now
      wakeUp.wait(atMost: limit)
      return before.duration(to: .now)
    }
  ) throws(WakeUpError) {
    self.wait = wait
    state = Mutex(State(depth: depth, timeout: timeout))
    hold = TimeHold(lockstep, "a recording")
    hold?.begin()
    readerWakeUp = try WakeUp()
    writerWakeUp = try WakeUp()
  }

  /// Whether the consumer wants no more.
  var isRefused: Bool { state.withLock { $0.end.isRefused } }

  /// Queues a block as soon as there is room, or drops it; false if the consumer wants no more.
  func push(_ block: DeviceAudio) -> Bool {
    defer { readerWakeUp.signal() }
    while true {
      let isTaken = state.withLock { state in
        hold?.begin()
        return state.take(block)
      }
      if let isTaken { return isTaken }
      let waited = wait(writerWakeUp, state.withLock { $0.timeLeft })
      state.withLock { $0.timeLeft -= waited }
    }
  }

  /// Ends the queue with how the capture ended; releases a consumer that wanted no more.
  func finish(_ outcome: Result<Void, any Error>) {
    state.withLock { state in
      hold?.begin()
      state.isReleased = state.end.isRefused
      guard !state.isReleased else { return }
      if let missing = state.missing.take() { state.blocks.append(missing) }
      state.end = .finished(outcome)
    }
    readerWakeUp.signal()
  }

  /// The next block as soon as there is one, or how the capture ended.
  func pop() -> Element {
    defer { writerWakeUp.signal() }
    while true {
      let next = state.withLock { state in
        let next = state.next()
        if next == nil { hold?.end() }
        return next
      }
      if let next { return next }
      readerWakeUp.wait()
    }
  }

  /// Lets the time of a virtual card go on: the consumer has ended.
  func releaseTime() { hold?.close() }

  /// Notes that the consumer wants no more.
  func refuse() {
    state.withLock { state in
      // A writer that has finished does not ask again.
      if case .finished = state.end { state.isReleased = true }
      state.end = .refused
      state.blocks = []
    }
    writerWakeUp.signal()
  }

  /// Returns when the writer knows that the consumer wants no more.
  func waitForRelease() {
    while !state.withLock(\.isReleased) { readerWakeUp.wait() }
  }
}

extension DeviceAudio {
  /// The end of the block, if all of it was lost.
  fileprivate var asLost: DeviceAudio {
    let none = AudioBuffer(silence: 0, format: buffer.format, firstFrame: buffer.endFrame)
    return DeviceAudio(buffer: none, time: time, lost: lost + buffer.frameCount)
  }
}
