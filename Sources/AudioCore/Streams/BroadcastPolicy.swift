/// What a broadcast does for a consumer that has not taken the buffers before.
public enum BroadcastPolicy: Hashable, Sendable {
  /// The source waits for it, and with the source all other consumers: nothing is lost.
  case waiting
  /// At most so many frames wait, but always the newest buffer; the oldest go, and the next buffer
  /// says how many.
  case droppingOldest(FrameCount)
}

/// A buffer of a broadcast, and what this consumer has lost before it.
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

/// The buffers that wait for one consumer.
struct BroadcastQueue {
  private(set) var frameCount: FrameCount = 0
  private let policy: BroadcastPolicy
  private var waiting: [BroadcastAudio] = []

  init(policy: BroadcastPolicy) {
    self.policy = policy
  }

  /// Whether the source may give another buffer.
  var hasRoom: Bool { policy != .waiting || waiting.isEmpty }

  mutating func append(_ buffer: AudioBuffer) {
    waiting.append(BroadcastAudio(buffer))
    frameCount += buffer.frameCount
    guard case .droppingOldest(let limit) = policy else { return }
    while frameCount > limit, waiting.count > 1 { dropOldest() }
  }

  mutating func next() -> BroadcastAudio? {
    guard !waiting.isEmpty else { return nil }
    let first = waiting.removeFirst()
    frameCount -= first.buffer.frameCount
    return first
  }

  private mutating func dropOldest() {
    guard let dropped = next() else { return }
    waiting[0].lost += dropped.lost + dropped.buffer.frameCount
  }
}
