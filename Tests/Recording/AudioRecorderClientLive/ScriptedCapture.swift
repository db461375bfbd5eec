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
  private(set) var elapsed: Duration
  /// How long it was left alone, each time.
  private(set) var rests: [Duration] = []
  private var script: [PCMWakeUp]
  private let framesPerRead: Int

  init(
    _ script: [PCMWakeUp], elapsed: Duration = .zero, framesPerRead: Int = .max
  ) throws {
    self.script = script
    self.framesPerRead = framesPerRead
    self.elapsed = elapsed
    waker = try WakeUp()
  }

  func wait(
    for interest: PCMInterest, atMost timeout: Duration?
  ) throws(SoundCardError) -> PCMWakeUp {
    if interest == .nothing, let timeout { rests.append(timeout) }
    let wakeUp = script.isEmpty ? .ended : script.removeFirst()
    if wakeUp == .timedOut, let timeout { elapsed += timeout }
    return wakeUp
  }

  func start() {}

  func read(into samples: UnsafeMutableBufferPointer<Float>) -> PCMTransfer {
    samples.update(repeating: 0.5)
    return .frames(FrameCount(min(framesPerRead, samples.count)))
  }

  func drop() {}
  func close() {}
}
