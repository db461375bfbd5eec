import AudioCore
import AudioThreads
import SoundCard

/// A device whose waits follow a script, and which always has more to read; after its script it is
/// at its end.
// `@unchecked Sendable` is right because a test drives it from one thread.
final class ScriptedCapture: CapturePCM, @unchecked Sendable {
  let configuration = PCMConfiguration(
    device: "scripted", format: .speech, sampleFormat: .float32, period: 160, buffer: 640)
  let waker: WakeUp
  let elapsed: Duration
  private var script: [PCMWakeUp]

  init(_ script: [PCMWakeUp], elapsed: Duration = .zero) throws {
    self.script = script
    self.elapsed = elapsed
    waker = try WakeUp()
  }

  func wait(
    for interest: PCMInterest, atMost timeout: Duration?
  ) throws(SoundCardError) -> PCMWakeUp {
    script.isEmpty ? .ended : script.removeFirst()
  }

  func start() {}

  func read(into samples: UnsafeMutableBufferPointer<Float>) -> PCMTransfer {
    samples.update(repeating: 0.5)
    return .frames(FrameCount(samples.count))
  }

  func drop() {}
  func close() {}
}
