import AudioCore
import AudioThreads
import Synchronization

/// One who takes the audio of a shared capture.
///
/// One that may block, as a disk does, gets a thread and a queue of its own as soon as it is not
/// alone; the others are served by the thread of the capture.
// `@unchecked Sendable` is right because the consumer belongs to one thread at a time: to that
// which makes it, then to that of the capture, then to its own, each of which starts the next.
final class HubMember: @unchecked Sendable {
  let number: Int
  private let mayBlock: Bool
  private let consumer: any CaptureConsumer
  private let ended: (Result<Void, any Error>) -> Void
  private let stopping = Atomic<Bool>(false)
  /// Set once, by the thread of the capture.
  private var queue: HubQueue?
  /// The frame of the capture at which its own time-line begins: the first that it gets.
  private var origin: FrameCount?

  private static let numbers = Atomic<Int>(0)

  /// - Parameter ended: is called once, after the consumer is finished.
  init(
    _ consumer: any CaptureConsumer, mayBlock: Bool,
    ended: @escaping (Result<Void, any Error>) -> Void
  ) {
    (self.consumer, self.mayBlock, self.ended) = (consumer, mayBlock, ended)
    (onDeviceLoss, mayStall) = (consumer.onDeviceLoss, consumer.mayStall)
    number = Self.numbers.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// What becomes of it where the device is lost.
  let onDeviceLoss: DeviceLossPolicy

  /// Whether it may come to a standstill, as a pipe's reader can: it never holds up the capture.
  let mayStall: Bool

  /// Whether it was told to end.
  var isStopping: Bool { stopping.load(ordering: .acquiring) }

  /// Whether it is to end, or wants no more; for the thread of the capture.
  var wantsToLeave: Bool { isStopping || queue?.isRefused == true }

  /// How much audio it can wait for; for the thread of the capture.
  var patience: Duration { queue == nil ? consumer.patience : .zero }

  /// Says that it is to end; from any thread.
  func stop() {
    stopping.store(true, ordering: .releasing)
  }

  /// From here on it must not hold up others; where the system has no thread left, it does.
  ///
  /// - Parameter leave: has it asked whether it wants to leave.
  func becomeOneOfMany(leave: @escaping @Sendable () -> Void) {
    guard mayBlock, queue == nil,
      let queue = try? HubQueue(depth: mayStall ? CaptureLink.depth : HubQueue.depth)
    else { return }
    let thread = try? DedicatedThread.start(name: "syrinx-record") { [self] in
      serve(queue, leave)
    }
    if thread != nil { self.queue = queue }
  }

  /// Takes a block of the capture; false where it wants no more.
  ///
  /// What was lost before its first one is nothing that it had begun to hear.
  func take(_ captured: DeviceAudio) throws -> Bool {
    var captured = captured
    if origin == nil { captured.lost = 0 }
    if origin == nil, captured.news != nil { return try pass(captured) }
    let origin = origin ?? captured.buffer.firstFrame
    self.origin = origin
    captured.buffer.firstFrame = captured.buffer.firstFrame - origin
    return try pass(captured)
  }

  private func pass(_ captured: DeviceAudio) throws -> Bool {
    guard let queue else { return try consumer.take(captured) }
    return queue.push(captured)
  }

  /// Nothing follows, because it left or because the capture has ended.
  func finish(_ outcome: Result<Void, any Error>) {
    guard let queue else { return complete(outcome) }
    queue.finish(outcome)
  }

  private func serve(_ queue: HubQueue, _ leave: () -> Void) {
    while true {
      switch queue.pop() {
      case .failure(let end): return complete(end.outcome)
      case .success(let captured):
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
