import AudioCore
import AudioThreads
import SoundCard
import Synchronization

/// A device that hangs in one of its calls, as a sound server that is stopped does, until it is
/// released.
final class HangingPlayback: PlaybackPCM {
  /// The calls that it can hang in.
  enum Call {
    case write, delay, drop
  }

  let closed = Gate()
  private let pcm: any PlaybackPCM
  private let call: Call
  private let released: WakeUp
  private let isReleased = Atomic<Bool>(false)

  init(_ pcm: any PlaybackPCM, in call: Call) throws {
    self.pcm = pcm
    self.call = call
    released = try WakeUp()
  }

  /// Lets the call return, and every later one.
  func release() {
    isReleased.store(true, ordering: .releasing)
    released.signal()
  }

  private func enter(_ call: Call) {
    guard call == self.call, !isReleased.load(ordering: .acquiring) else { return }
    released.wait()
  }

  var configuration: PCMConfiguration { pcm.configuration }
  var waker: WakeUp { pcm.waker }
  var elapsed: Duration { pcm.elapsed }
  var timeUntilDry: Duration { pcm.timeUntilDry }

  func wait(
    for interest: PCMInterest, atMost timeout: Duration?
  ) throws(SoundCardError) -> PCMWakeUp {
    try pcm.wait(for: interest, atMost: timeout)
  }

  func start() throws(SoundCardError) { try pcm.start() }

  func delay() throws(SoundCardError) -> FrameCount {
    enter(.delay)
    return try pcm.delay()
  }

  func write(_ samples: UnsafeBufferPointer<Float>) throws(SoundCardError) -> PCMTransfer {
    enter(.write)
    return try pcm.write(samples)
  }

  func drop() {
    enter(.drop)
    pcm.drop()
  }

  func close() {
    pcm.close()
    closed.open()
  }
}
