import AudioCore
import AudioThreads
import SoundCard

/// A device that accepts no frames and reports only timeouts, like a stopped sound server.
final class UnresponsivePlayback: PlaybackPCM {
  let configuration: PCMConfiguration
  let waker: WakeUp
  let closed = Gate()
  // The device's time passes only during waits.
  private let time = RingBuffer<Int64>(capacity: 100_000)

  init(format: AudioFormat) throws {
    waker = try WakeUp()
    configuration = PCMConfiguration(
      device: "stubborn", format: format, sampleFormat: .float32, period: 200, buffer: 800)
  }

  var elapsed: Duration { .milliseconds(time.totalWritten) }
  func delay() -> FrameCount { 0 }
  var timeUntilUnderrun: Duration { .zero }

  func wait(
    for interest: PCMInterest, atMost timeout: Duration?
  ) throws(SoundCardError) -> PCMWakeUp {
    guard interest == .period else {
      waker.wait()
      return .woken
    }
    // Each wait advances the device's time by 10 ms, but takes no real time.
    for _ in 0..<10 { time.tryWrite(0) }
    return .timedOut
  }

  func start() throws(SoundCardError) {}
  func drop() {}
  func write(_ samples: UnsafeBufferPointer<Float>) throws(SoundCardError) -> PCMTransfer {
    .frames(0)
  }

  func close() { closed.open() }
}
