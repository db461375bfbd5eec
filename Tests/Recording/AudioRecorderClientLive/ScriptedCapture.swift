import AudioCore
import AudioRecorderClient
import AudioThreads
import SoundCard

@testable import AudioRecorderClientLive

/// A device whose waits follow a script, and which always has more frames; it ends after the
/// script.
// `@unchecked Sendable` is right because a test drives it from one thread.
final class ScriptedCapture: CapturePCM, @unchecked Sendable {
  let configuration = PCMConfiguration(
    device: "scripted", format: .speech, sampleFormat: .float32, period: 160, buffer: 640)
  let waker: WakeUp
  private(set) var elapsed: Duration
  /// The timeouts of all waits for `.nothing`.
  private(set) var rests: [Duration] = []
  private(set) var starts = 0
  private(set) var drops = 0
  /// Called at each wait.
  var whenWaiting: () -> Void = {}
  /// Called when the thread waits for a command.
  var whenResting: () -> Void = {}
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
    whenWaiting()
    if interest == .nothing {
      guard let timeout else {
        whenResting()
        return .woken
      }
      rests.append(timeout)
    }
    let wakeUp = script.isEmpty ? .ended : script.removeFirst()
    if wakeUp == .timedOut, let timeout { elapsed += timeout }
    return wakeUp
  }

  func start() { starts += 1 }

  func read(into samples: UnsafeMutableBufferPointer<Float>) -> PCMTransfer {
    samples.update(repeating: 0.5)
    return .frames(FrameCount(min(framesPerRead, samples.count)))
  }

  func drop() { drops += 1 }
  func close() {}
}

/// The audio thread of a scripted device, run on the test's own thread.
///
/// It has one port, or more if requested, and quits when no port is left.
// `@unchecked Sendable` is right because a test uses it from one thread.
final class OnePortCapture: @unchecked Sendable {
  let port: CapturePort
  let others: [CapturePort]
  var whenResting: (() -> Void)?
  private let thread: CaptureThread
  let scripted: ScriptedCapture?

  init(_ pcm: any CapturePCM, others: Int = 0) throws {
    port = CapturePort(of: pcm.configuration)
    self.others = (0..<others).map { _ in CapturePort(of: pcm.configuration) }
    thread = CaptureThread(pcm: pcm, link: try DeviceLink(limit: 8))
    scripted = pcm as? ScriptedCapture
    scripted?.whenResting = { [unowned self] in
      if let whenResting { whenResting() } else { quit() }
    }
    for (place, port) in ([port] + self.others).enumerated() { add(port, in: place) }
  }

  func add(_ port: CapturePort, in place: Int) {
    thread.link.ports.put(port, in: place)
    thread.link.arrivals.tryWrite(place)
  }

  func quit() { thread.link.quit() }

  func run() throws(SoundCardError) { try thread.run() }
}

extension CaptureConsumer {
  /// Numbers the frames of a device's blocks, processes the blocks until the consumer ends the
  /// capture, and completes the consumer.
  ///
  /// `before` is called before each block.
  func record(_ blocks: [CapturedAudio], before: () -> Void = {}) throws {
    var next: FrameCount = 0
    var wantsMore = true
    for (number, var block) in blocks.enumerated() where wantsMore {
      before()
      block.buffer.firstFrame = next + (block.gap?.lost ?? 0)
      next = block.buffer.endFrame
      for converted in try converter.process(block) where wantsMore {
        wantsMore = try process(converted, number: number)
      }
    }
    if wantsMore, let rest = try converter.flush() {
      _ = try process(rest, number: blocks.count)
    }
    try finish()
  }
}

extension BlockReader {
  /// Returns the next captured frames, joined up to `limit` samples.
  mutating func nextAudio(joining limit: Int = 0) -> CapturedAudio? {
    while let block = next(joining: limit) {
      if block.kind == .frames { return audio(block) }
    }
    return nil
  }
}

extension CapturePort {
  /// Reads an ended port to its end.
  func drain(into consumer: some CaptureConsumer, madeRoom: () -> Void) throws {
    var reader = BlockReader(self)
    while try reader.read(into: consumer, madeRoom: madeRoom) {}
  }
}
