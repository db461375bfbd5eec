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

  @Test func `after a stop at most a buffer is read of a device that always has more`() throws {
    let read = try blocks([], isStopped: true)
    #expect(read.map(\.buffer.frameCount) == [160, 160, 160, 160])
  }

  @Test func `after a stop a device that runs on is not waited for`() throws {
    let pcm = try ScriptedCapture([], framesPerRead: 1)
    let link = try CaptureLink(device: pcm.configuration)
    link.stop()
    try CaptureThread(pcm: pcm, link: link).run()
    #expect(link.blocks.totalWritten == 1)
  }

  @Test func `what a device heard before the stop is read, in however small pieces`() throws {
    let pcm = try ScriptedCapture([], elapsed: .seconds(5), framesPerRead: 8)
    let link = try CaptureLink(device: pcm.configuration)
    link.stop()
    try CaptureThread(pcm: pcm, link: link).run()
    // Its buffer holds 640 frames.
    #expect(link.blocks.totalWritten == 80)
  }

  @Test(arguments: [(0, 0), (320, 3)])
  func `where the consumer is patient the device is left alone until it is half full`(
    patience: Int, rests: Int
  ) throws {
    // Its buffer holds four periods.
    let pcm = try ScriptedCapture((0..<6).map { _ in .ready(160) })
    let link = try CaptureLink(device: pcm.configuration)
    link.wake(for: patience)
    try CaptureThread(pcm: pcm, link: link).run()
    #expect(pcm.rests == Array(repeating: .milliseconds(20), count: rests))
  }

  @Test func `what is lost at the very end is told without a frame after it`() throws {
    let read = try blocks([.ready(160), loss])
    #expect(read.map(\.buffer.frameCount) == [160, 0])
    #expect(read.map(\.lost) == [0, 320])
    #expect(read.last?.buffer.firstFrame == 480)
  }

  @Test func `a block began before all the frames that the device held`() throws {
    let read = try blocks([.ready(480)], elapsed: .seconds(5))
    #expect(read.map(\.time) == [.milliseconds(4_970)])
  }

  @Test func `frames that are read after the stop follow in time on those before`() throws {
    let read = try blocks([], isStopped: true)
    #expect(read.map(\.time) == (0..<4).map { .milliseconds(10 * $0) })
  }

  private let silent = SoundCardError.failed(
    "scripted", operation: "capture", code: 0, reason: "it gives no frames")

  @Test func `a device that gives nothing is given up after five seconds, or one where it has run`()
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

  @Test func `a device that is never mended for long is given up`() throws {
    #expect(throws: silent) { try blocks(Array(repeating: loss, count: 200)) }
  }

  @Test func `a device that says ready and gives nothing is asked less often, and given up`() throws
  {
    let script = (0..<3_000).flatMap { _ in [PCMWakeUp.ready(160), .timedOut] }
    let pcm = try ScriptedCapture(script, framesPerRead: 0)
    let link = try CaptureLink(device: pcm.configuration)
    #expect(throws: silent) { try CaptureThread(pcm: pcm, link: link).run() }
  }
}
