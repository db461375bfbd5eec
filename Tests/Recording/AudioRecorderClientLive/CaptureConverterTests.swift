import AudioCore
import AudioRecorderClient
import Testing

@testable import AudioRecorderClientLive

@Suite struct CaptureConverterTests {
  private let device = AudioFormat(sampleRate: 48_000, channelCount: 1)

  /// Blocks of 10 ms by a device that has been open for 5 s, with a gap of 100 ms after half a
  /// second, which lasts 103 ms by the device's clock.
  private var captured: [DeviceAudio] {
    (0..<100).map { index in
      let isLate = index >= 50
      let first = FrameCount(index * 480 + (isLate ? 4_800 : 0))
      let time = Duration.milliseconds(5_000 + 10 * index + (isLate ? 103 : 0))
      return DeviceAudio(
        buffer: AudioSignal.sine(440).buffer(480, format: device, firstFrame: first), time: time,
        lost: index == 50 ? 4_800 : 0)
    }
  }

  private func converted() throws -> [CapturedAudio] {
    let converter = try CaptureConverter(from: device, to: .speech)
    let blocks = try captured.flatMap { try converter.convert($0) }
    let rest = try #require(try converter.finish())
    return blocks + [rest]
  }

  @Test func `every block has the time of its own first frame, even after frames were held back`()
    throws
  {
    for block in try converted() {
      let nominal = block.buffer.firstFrame.duration(at: 16_000)
      let isLate = block.buffer.firstFrame >= 9_600
      #expect(block.time == nominal + (isLate ? .milliseconds(3) : .zero))
    }
  }

  @Test func `every block has the device's time of its first frame`() throws {
    for block in try converted() {
      let nominal = block.buffer.firstFrame.duration(at: 16_000)
      let isLate = block.buffer.firstFrame >= 9_600
      #expect(block.capturedAt == .seconds(5) + nominal + (isLate ? .milliseconds(3) : .zero))
    }
  }

  @Test func `every captured frame is delivered, and one block has the gap`() throws {
    let blocks = try converted()
    #expect(blocks.map(\.buffer.frameCount).reduce(0, +) == 16_000)
    #expect(blocks.compactMap(\.gap) == [CaptureGap(lost: 1_600)])
    #expect(blocks.first { $0.gap != nil }?.time == .milliseconds(603))
  }

  @Test(arguments: [16_000, 22_050, 44_100, 48_000, 96_000] as [SampleRate])
  func `lost and captured frames add up, however small the gaps`(
    rate: SampleRate
  ) throws {
    let converter = try CaptureConverter(
      from: device, to: AudioFormat(sampleRate: rate, channelCount: 1))
    var blocks: [CapturedAudio] = []
    var next: FrameCount = 0
    for index in 1...300 {
      let lost = FrameCount(index.isMultiple(of: 3) ? index % 7 : 0)
      let captured = AudioSignal.sine(440).buffer(
        FrameCount(331 + index), format: device, firstFrame: next + lost)
      let time = captured.firstFrame.duration(at: 48_000)
      blocks += try converter.convert(DeviceAudio(buffer: captured, time: time, lost: lost))
      next = captured.endFrame
    }
    blocks += [try converter.finish()].compactMap(\.self)
    #expect(blocks.isOneTimeline)
    #expect(blocks.compactMap(\.gap).count == 86)
    let end = next.converted(from: 48_000, to: rate)
    #expect(abs(blocks.endFrame.rawValue - end.rawValue) <= 1)
  }

  @Test func `a gap at the very end is a block without frames`() throws {
    let converter = try CaptureConverter(from: device, to: device)
    _ = try converter.convert(captured[0])
    let nothing = DeviceAudio(
      buffer: AudioBuffer(silence: 0, format: device, firstFrame: 960), time: .seconds(6),
      lost: 480)
    let end = try converter.convert(nothing)
    #expect(end.map(\.gap) == [CaptureGap(lost: 480)])
    #expect(end.map(\.buffer) == [nothing.buffer])
  }
}
