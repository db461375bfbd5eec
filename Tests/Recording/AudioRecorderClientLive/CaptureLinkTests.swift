import AudioCore
import AudioThreads
import SoundCard
import Testing

@testable import AudioRecorderClientLive

@Suite struct CaptureLinkTests {
  private let speech = PCMConfiguration(
    device: "link", format: .speech, sampleFormat: .float32, period: 160, buffer: 640)

  private func write(_ samples: Int, lost: Int = 0, to link: CaptureLink) {
    let sound = (0..<samples).map { Float($0) }
    _ = sound.withUnsafeBufferPointer { link.samples.tryWrite($0) }
    link.blocks.tryWrite(CaptureBlock(sampleCount: samples, lostFrames: lost, nanoseconds: 7))
    link.announce()
  }

  @Test func `the consumer is woken for each block unless its threshold is higher`() throws {
    let link = try CaptureLink(device: speech)
    write(160, to: link)
    #expect(link.consumerWakeUp.clear())
    link.wake(for: 400)
    write(160, to: link)
    let isWokenEarly = link.consumerWakeUp.clear()
    #expect(!isWokenEarly && !link.isDue)
    write(160, to: link)
    #expect(link.consumerWakeUp.clear() && link.isDue)
  }

  @Test func `blocks are joined up to a limit, and never over a loss`() throws {
    let link = try CaptureLink(device: speech)
    for lost in [0, 0, 0, 80, 0] { write(160, lost: lost, to: link) }
    var reader = BlockReader(format: .speech)
    let joined = Array(sequence(state: ()) { _ in reader.next(from: link, joining: 300) })
    #expect(joined.map(\.buffer.frameCount) == [320, 160, 320])
    #expect(joined.map(\.buffer.firstFrame) == [0, 320, 560])
    #expect(joined.map(\.lost) == [0, 0, 80])
    #expect(joined.map(\.number) == [0, 2, 3])
    let sound = (0..<160).map { Float($0) }
    #expect(joined[0].buffer.samples == sound + sound)
  }

  @Test(arguments: [(160, 512_000), (16_000, 512_000), (160_000, 640_000)])
  func `the ring holds 32 seconds, or four periods if they are longer`(
    period: Int, capacity: Int
  ) throws {
    let format = AudioFormat(sampleRate: 16_000, channelCount: 2)
    let link = try CaptureLink(
      device: PCMConfiguration(
        device: "slow", format: format, sampleFormat: .float32, period: FrameCount(period),
        buffer: FrameCount(4 * period)))
    #expect(link.samples.capacity == 2 * capacity)
  }

  @Test func `NaN and infinite samples are counted and replaced by silence`()
    throws
  {
    let link = try CaptureLink(device: speech)
    let sound: [Float] = [0.5, .nan, -.infinity, 0.25]
    _ = sound.withUnsafeBufferPointer { link.samples.tryWrite($0) }
    link.blocks.tryWrite(CaptureBlock(sampleCount: 4, lostFrames: 0, nanoseconds: 0))
    var reader = BlockReader(format: .speech)
    let block = reader.next(from: link)
    #expect(block?.buffer.samples == [0.5, 0, 0, 0.25])
    #expect(block?.nonFinite == 2)
  }
}
