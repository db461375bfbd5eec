import AudioCore
import AudioThreads
import SoundCard
import Testing

@testable import AudioRecorderClientLive

@Suite struct CaptureThreadTests {
  private let loss = PCMWakeUp.interrupted(PCMInterruption(cause: .xrun, lost: 320))

  /// The blocks of a thread that has run to its end.
  private func blocks(
    _ script: [PCMWakeUp], elapsed: Duration = .zero, isStopped: Bool = false
  ) throws -> [DeviceAudio] {
    let pcm = try ScriptedCapture(script, elapsed: elapsed)
    let link = try CaptureLink(device: pcm.configuration)
    if isStopped { link.stop() }
    try CaptureThread(pcm: pcm, link: link).run()
    var reader = BlockReader(format: pcm.configuration.format)
    return Array(sequence(state: ()) { _ in reader.next(from: link) })
  }

  @Test func `after a stop at most one buffer is read from an endless device`() throws {
    let read = try blocks([], isStopped: true)
    #expect(read.map(\.buffer.frameCount) == [160, 160, 160, 160])
  }

  @Test func `after a stop the audio thread does not wait for a device that keeps running`() throws
  {
    let pcm = try ScriptedCapture([], framesPerRead: 1)
    let link = try CaptureLink(device: pcm.configuration)
    link.stop()
    try CaptureThread(pcm: pcm, link: link).run()
    #expect(link.blocks.totalWritten == 1)
  }

  @Test func `frames captured before the stop are read, in however small pieces`() throws {
    let pcm = try ScriptedCapture([], elapsed: .seconds(5), framesPerRead: 8)
    let link = try CaptureLink(device: pcm.configuration)
    link.stop()
    try CaptureThread(pcm: pcm, link: link).run()
    // Its buffer holds 640 frames.
    #expect(link.blocks.totalWritten == 80)
  }

  @Test(arguments: [(0, 0), (320, 3)])
  func `with a high threshold the device is left alone until it is half full`(
    patience: Int, rests: Int
  ) throws {
    // Its buffer holds four periods.
    let pcm = try ScriptedCapture((0..<6).map { _ in .ready(160) })
    let link = try CaptureLink(device: pcm.configuration)
    link.wake(for: patience)
    try CaptureThread(pcm: pcm, link: link).run()
    #expect(pcm.rests == Array(repeating: .milliseconds(20), count: rests))
  }

  @Test func `a loss at the very end is reported without a frame after it`() throws {
    let read = try blocks([.ready(160), loss])
    #expect(read.map(\.buffer.frameCount) == [160, 0])
    #expect(read.map(\.lost) == [0, 320])
    #expect(read.last?.buffer.firstFrame == 480)
  }

  @Test func `a block's timestamp is that of its first frame, before all frames in the device`()
    throws
  {
    let read = try blocks([.ready(480)], elapsed: .seconds(5))
    #expect(read.map(\.time) == [.milliseconds(4_970)])
  }

  @Test func `frames read after the stop continue the time of those before`() throws {
    let read = try blocks([], isStopped: true)
    #expect(read.map(\.time) == (0..<4).map { .milliseconds(10 * $0) })
  }

  @Test(arguments: [
    PCMTransfer.frames(0), .interrupted(PCMInterruption(cause: .xrun, lost: 0)),
  ])
  func `a device whose every read fails is lost within a second of its time`(
    answer: PCMTransfer
  ) throws {
    let pcm = try FailingCapture(answer)
    let link = try CaptureLink(device: pcm.configuration)
    #expect(throws: silent) { try CaptureThread(pcm: pcm, link: link).run() }
    #expect((.milliseconds(750)...(.seconds(1))).contains(pcm.failing), "\(pcm.failing)")
  }

  private let silent = SoundCardError.failed(
    "scripted", operation: "capture", code: 0, reason: "it delivers no frames")

  @Test func `a device without frames is lost after five seconds, or after one if it has run`()
    throws
  {
    // A time-out of this device is 80 ms.
    let some = Array(repeating: PCMWakeUp.timedOut, count: 62)
    #expect(try blocks(some).isEmpty)
    #expect(throws: silent) { try blocks(some + [.timedOut]) }
    let few = Array(repeating: PCMWakeUp.timedOut, count: 9)
    #expect(try blocks(some + [.ready(160)] + few).count == 1)
    #expect(throws: silent) { try blocks(some + [.ready(160)] + few + [.timedOut]) }
  }

  @Test func `a device that never recovers for long is lost`() throws {
    #expect(throws: silent) { try blocks(Array(repeating: loss, count: 200)) }
  }

  @Test func `a ready device without frames is asked less often, then lost`() throws {
    let script = (0..<3_000).flatMap { _ in [PCMWakeUp.ready(160), .timedOut] }
    let pcm = try ScriptedCapture(script, framesPerRead: 0)
    let link = try CaptureLink(device: pcm.configuration)
    #expect(throws: silent) { try CaptureThread(pcm: pcm, link: link).run() }
  }
}

/// A device that delivers one period and then returns the same result for every read.
///
/// It gets a period in 10 ms and overruns in 40; its time passes only while it is waited for.
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

  /// How long its reads have failed.
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
