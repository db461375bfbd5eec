import AudioCore
import AudioRecorderClient
import AudioThreads
import SoundCard
import Testing

@testable import AudioRecorderClientLive

@Suite struct CaptureThreadTests {
  private let loss = PCMWakeUp.interrupted(PCMInterruption(cause: .xrun, lost: 320))

  /// Runs the audio thread and returns its blocks; `isStopped` stops its only port first.
  private func blocks(
    _ script: [PCMWakeUp], elapsed: Duration = .zero, isStopped: Bool = false
  ) throws -> [CapturedAudio] {
    let capture = try OnePortCapture(try ScriptedCapture(script, elapsed: elapsed))
    if isStopped { capture.port.stop() }
    try capture.run()
    return capture.port.blocksInRing
  }

  @Test func `after a stop at most one buffer is read from an endless device`() throws {
    let read = try blocks([], isStopped: true)
    #expect(read.map(\.buffer.frameCount) == [160, 160, 160, 160])
  }

  @Test func `after a stop the audio thread does not wait for a device that keeps running`() throws
  {
    let capture = try OnePortCapture(try ScriptedCapture([], framesPerRead: 1))
    capture.port.stop()
    try capture.run()
    #expect(capture.port.blocks.totalWritten == 1)
  }

  @Test func `frames captured before the stop are read, even in small pieces`() throws {
    let pcm = try ScriptedCapture([], elapsed: .seconds(5), framesPerRead: 8)
    let capture = try OnePortCapture(pcm)
    capture.port.stop()
    try capture.run()
    // The device's buffer holds 640 frames, which are 80 reads of 8 frames.
    #expect(capture.port.blocks.totalWritten == 80)
  }

  @Test func `a full port loses only its own frames, and reports the loss with its next block`()
    throws
  {
    let pcm = try ScriptedCapture(Array(repeating: .ready(160), count: 3_300))
    let capture = try OnePortCapture(pcm, others: 1)
    // The other port's reader keeps up; the device delivers 33 s, but a ring holds only 32 s.
    let other = capture.others[0]
    var kept: FrameCount = 0
    var reader = BlockReader(other)
    pcm.whenWaiting = {
      while let block = reader.nextAudio() { kept += block.buffer.frameCount }
    }
    try capture.run()
    pcm.whenWaiting()
    #expect(kept == FrameCount(3_300 * 160))
    let blocks = capture.port.blocksInRing
    let slowKept = blocks.map(\.buffer.frameCount).reduce(0, +)
    #expect(slowKept == FrameCount(32 * 16_000))
    #expect(blocks.last?.gap?.lost == 16_000 && blocks.last?.buffer.isEmpty == true)
  }

  @Test func `a port added after the last port has left gets no earlier frames`() throws {
    let pcm = try ScriptedCapture([.ready(160)])
    let capture = try OnePortCapture(pcm)
    let next = CapturePort(of: pcm.configuration)
    capture.port.stop()
    capture.whenResting = { [capture] in
      #expect(capture.port.blocks.totalWritten == 4 && pcm.starts == 1)
      capture.add(next, in: 1)
      capture.whenResting = nil
    }
    try capture.run()
    #expect(next.blocks.totalWritten == 1)
    #expect(pcm.drops == 1 && pcm.starts == 2)
  }

  @Test(arguments: [(0, 0), (320, 3)])
  func `with a high wake-up threshold, the device is not polled until its buffer is half full`(
    patience: Int, rests: Int
  ) throws {
    // Each read returns a period, a quarter of the device's buffer.
    let pcm = try ScriptedCapture((0..<6).map { _ in .ready(160) })
    let capture = try OnePortCapture(pcm)
    capture.port.deferWakeUps(for: patience)
    try capture.run()
    #expect(pcm.rests == Array(repeating: .milliseconds(20), count: rests))
  }

  @Test func `frames lost after the last read are reported in a block without frames`() throws {
    let read = try blocks([.ready(160), loss])
    #expect(read.map(\.buffer.frameCount) == [160, 0])
    #expect(read.map(\.gap?.lost) == [nil, 320])
    #expect(read.last?.buffer.firstFrame == 480)
  }

  @Test func `a block's timestamp is the time of its first frame, even if more frames are waiting`()
    throws
  {
    let read = try blocks([.ready(480)], elapsed: .seconds(5))
    #expect(read.map(\.time) == [.milliseconds(4_970)])
  }

  @Test func `frames read after the stop continue the timestamps of earlier frames`() throws {
    let read = try blocks([], isStopped: true)
    #expect(read.map(\.time) == (0..<4).map { .milliseconds(10 * $0) })
  }

  @Test(arguments: [
    PCMTransfer.frames(0), .interrupted(PCMInterruption(cause: .xrun, lost: 0)),
  ])
  func `a device whose reads all fail is reported as lost within a second of device time`(
    answer: PCMTransfer
  ) throws {
    let pcm = try FailingCapture(answer)
    let capture = try OnePortCapture(pcm)
    #expect(throws: silent) { try capture.run() }
    #expect((.milliseconds(750)...(.seconds(1))).contains(pcm.failing), "\(pcm.failing)")
  }

  private let silent = SoundCardError.failed(
    "scripted", operation: "capture", code: 0, reason: "it delivers no frames")

  @Test func `a device without frames is reported as lost after 5 s, or after 1 s if it has run`()
    throws
  {
    // Each timeout of this device takes 80 ms, so 62 timeouts are just under 5 s.
    let some = Array(repeating: PCMWakeUp.timedOut, count: 62)
    #expect(try blocks(some).isEmpty)
    #expect(throws: silent) { try blocks(some + [.timedOut]) }
    let few = Array(repeating: PCMWakeUp.timedOut, count: 9)
    #expect(try blocks(some + [.ready(160)] + few).count == 1)
    #expect(throws: silent) { try blocks(some + [.ready(160)] + few + [.timedOut]) }
  }

  @Test func `a device that only reports xruns is reported as lost`() throws {
    #expect(throws: silent) { try blocks(Array(repeating: loss, count: 200)) }
  }

  @Test func `a ready device without frames is polled less often, and then reported as lost`()
    throws
  {
    let script = (0..<3_000).flatMap { _ in [PCMWakeUp.ready(160), .timedOut] }
    let pcm = try ScriptedCapture(script, framesPerRead: 0)
    let capture = try OnePortCapture(pcm)
    #expect(throws: silent) { try capture.run() }
  }
}

extension CapturePort {
  /// Removes the captured blocks from the ring and returns them.
  fileprivate var blocksInRing: [CapturedAudio] {
    var reader = BlockReader(self)
    return Array(sequence(state: ()) { _ in reader.nextAudio() })
  }
}

/// A device that delivers one period and then returns the same result for every read.
///
/// The device captures a period in 10 ms and overruns after 40 ms; its time passes only during
/// waits.
// `@unchecked Sendable` is right because a test drives it from one thread.
private final class FailingCapture: CapturePCM, @unchecked Sendable {
  let configuration = PCMConfiguration(
    device: "scripted", format: .speech, sampleFormat: .float32, period: 160, buffer: 640)
  let waker: WakeUp
  private(set) var elapsed = Duration.zero
  private let answer: PCMTransfer
  private var failedAt: Duration?
  private var emptiedAt = Duration.zero

  init(_ answer: PCMTransfer) throws {
    self.answer = answer
    waker = try WakeUp()
  }

  /// The duration for which the device's reads have failed.
  var failing: Duration { failedAt.map { elapsed - $0 } ?? .zero }

  func wait(
    for interest: PCMInterest, atMost timeout: Duration?
  ) throws(SoundCardError) -> PCMWakeUp {
    let isPeriod = interest == .period
    elapsed = max(elapsed, isPeriod ? emptiedAt + .milliseconds(10) : elapsed + (timeout ?? .zero))
    guard elapsed - emptiedAt >= .milliseconds(40) else {
      return isPeriod ? .ready(160) : .timedOut
    }
    emptiedAt = elapsed
    return .interrupted(PCMInterruption(cause: .xrun, lost: 640))
  }

  func read(into samples: UnsafeMutableBufferPointer<Float>) -> PCMTransfer {
    if failedAt != nil {
      if case .interrupted = answer { emptiedAt = elapsed }
      return answer
    }
    (failedAt, emptiedAt) = (elapsed, elapsed)
    samples.update(repeating: 0.5)
    return .frames(160)
  }

  func start() {}
  func drop() {}
  func close() {}
}
