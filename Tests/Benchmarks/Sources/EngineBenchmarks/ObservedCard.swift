import AudioCore
import AudioThreads
import Glibc
import SoundCard
import Synchronization

/// Records when samples other than silence are written to a card, and when the card's microphone
/// began to capture.
final class CardObserver: Sendable {
  private let first = Atomic<Int64>(0)
  private let last = Atomic<Int64>(0)
  private let started = Atomic<Int64>(0)
  private let writes = Atomic<Int>(0)

  /// Forgets the times of earlier sound.
  func reset() {
    first.store(0, ordering: .sequentiallyConsistent)
    last.store(0, ordering: .sequentiallyConsistent)
  }

  /// The time at which the first frame that is not silence was written; nil if there was none.
  var firstSound: MonotonicMoment? { MonotonicMoment(first) }
  /// The time at which the last frame that is not silence was written; nil if there was none.
  var lastSound: MonotonicMoment? { MonotonicMoment(last) }
  /// The time at which the microphone began to capture.
  var start: MonotonicMoment? { MonotonicMoment(started) }
  /// The number of writes.
  var writeCount: Int { writes.load(ordering: .relaxed) }

  fileprivate func wrote(_ samples: UnsafeBufferPointer<Float>, _ frames: FrameCount, of count: Int)
  {
    writes.add(1, ordering: .relaxed)
    guard samples.prefix(frames.rawValue * count).contains(where: { $0 != 0 }) else { return }
    let now = MonotonicMoment.now.nanoseconds
    if first.load(ordering: .relaxed) == 0 { first.store(now, ordering: .relaxed) }
    last.store(now, ordering: .relaxed)
  }

  fileprivate func began(before elapsed: Duration) {
    let now = MonotonicMoment.now.nanoseconds
    started.store(now - Int64(elapsed / .nanoseconds(1)), ordering: .relaxed)
  }
}

/// A moment of the system's monotonic clock.
struct MonotonicMoment {
  var nanoseconds: Int64

  init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  fileprivate init?(_ stored: borrowing Atomic<Int64>) {
    let value = stored.load(ordering: .relaxed)
    guard value != 0 else { return nil }
    nanoseconds = value
  }

  static var now: MonotonicMoment {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicMoment(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  static func - (end: Self, start: Self) -> Duration {
    .nanoseconds(end.nanoseconds - start.nanoseconds)
  }
}

extension SoundCard {
  /// Returns this card with an observer between it and the engines.
  func observed(by observer: CardObserver) -> SoundCard {
    SoundCard(
      devices: devices,
      openPlayback: { ObservedPlayback(try await self.openPlayback($0), observer) },
      openCapture: { ObservedCapture(try await self.openCapture($0), observer) })
  }
}

private final class ObservedPlayback: PlaybackPCM {
  private let pcm: any PlaybackPCM
  private let observer: CardObserver

  init(_ pcm: any PlaybackPCM, _ observer: CardObserver) {
    self.pcm = pcm
    self.observer = observer
  }

  var configuration: PCMConfiguration { pcm.configuration }
  var waker: WakeUp { pcm.waker }
  var elapsed: Duration { pcm.elapsed }
  var timeUntilUnderrun: Duration {
    get throws(SoundCardError) { try pcm.timeUntilUnderrun }
  }
  func delay() throws(SoundCardError) -> FrameCount { try pcm.delay() }
  func start() throws(SoundCardError) { try pcm.start() }
  func drop() throws(SoundCardError) { try pcm.drop() }
  func close() { pcm.close() }

  func wait(
    for interest: PCMInterest, atMost timeout: Duration?
  ) throws(SoundCardError) -> PCMWakeUp {
    try pcm.wait(for: interest, atMost: timeout)
  }

  func write(_ samples: UnsafeBufferPointer<Float>) throws(SoundCardError) -> PCMTransfer {
    let transfer = try pcm.write(samples)
    if case .frames(let count) = transfer {
      observer.wrote(samples, count, of: configuration.format.channelCount)
    }
    return transfer
  }
}

private final class ObservedCapture: CapturePCM {
  private let pcm: any CapturePCM
  private let observer: CardObserver

  init(_ pcm: any CapturePCM, _ observer: CardObserver) {
    self.pcm = pcm
    self.observer = observer
  }

  var configuration: PCMConfiguration { pcm.configuration }
  var waker: WakeUp { pcm.waker }
  var elapsed: Duration { pcm.elapsed }
  func drop() throws(SoundCardError) { try pcm.drop() }
  func close() { pcm.close() }

  func start() throws(SoundCardError) {
    try pcm.start()
    observer.began(before: pcm.elapsed)
  }

  func wait(
    for interest: PCMInterest, atMost timeout: Duration?
  ) throws(SoundCardError) -> PCMWakeUp {
    try pcm.wait(for: interest, atMost: timeout)
  }

  func read(into samples: UnsafeMutableBufferPointer<Float>) throws(SoundCardError) -> PCMTransfer {
    try pcm.read(into: samples)
  }
}
