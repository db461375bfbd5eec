import AudioCore
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
    let link = try CaptureLink(format: pcm.configuration.format)
    if isStopped { link.stop() }
    try CaptureThread(pcm: pcm, link: link).run()
    var reader = BlockReader(format: pcm.configuration.format)
    return Array(sequence(state: ()) { _ in reader.next(from: link) })
  }

  @Test func `after a stop at most a buffer is read of a device that always has more`() throws {
    let read = try blocks([], isStopped: true)
    #expect(read.map(\.buffer.frameCount) == [160, 160, 160, 160])
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
}
