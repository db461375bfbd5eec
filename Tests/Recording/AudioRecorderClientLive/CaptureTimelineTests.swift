import AudioCore
import Testing

@testable import AudioRecorderClientLive

@Suite struct CaptureTimelineTests {
  @Test func `ten thousand gaps of one frame each are all counted after a rate conversion`() throws
  {
    let audience = SummingConsumer()
    let line = CaptureTimeline(audience, format: .speech)
    _ = try line.lose(withoutAudio: .zero)
    let device = AudioFormat(sampleRate: 44_100, channelCount: 1)
    try line.reopen(after: .seconds(1), in: device)
    for index in 0..<10_000 {
      let first = FrameCount(index * 45 + 1)
      let buffer = AudioBuffer(silence: 44, format: device, firstFrame: first)
      let block = DeviceAudio(buffer: buffer, time: first.duration(at: 44_100), lost: 1)
      #expect(try line.take(block))
    }
    try line.finish()
    // The frames lost in the second of its absence and until the first captured frame.
    let begun = try #require(audience.missing)
    let end = begun + FrameCount(450_000).converted(from: 44_100, to: 16_000)
    #expect(abs(audience.end.rawValue - end.rawValue) <= 1, "\(audience.end)")
    #expect(begun + audience.taken + audience.lost == audience.end)
    #expect(audience.lost > 3_000)
  }

  @Test func `gaps keep their length without a rate conversion`() throws {
    let audience = SummingConsumer()
    let line = CaptureTimeline(audience, format: .speech)
    for first in [0, 170, 330, 1_000] as [FrameCount] {
      let buffer = AudioBuffer(silence: 160, format: .speech, firstFrame: first)
      let lost = first - audience.end
      _ = try line.take(
        DeviceAudio(buffer: buffer, time: first.duration(at: 16_000), lost: lost))
      #expect(audience.end == first + 160)
    }
    #expect(audience.lost == 520)
  }
}

/// Sums the frames that it takes.
private final class SummingConsumer: CaptureConsumer {
  private(set) var end: FrameCount = 0
  private(set) var taken: FrameCount = 0
  private(set) var lost: FrameCount = 0
  private(set) var missing: FrameCount?

  func take(_ captured: DeviceAudio) -> Bool {
    guard captured.event != .returned else {
      missing = captured.lost
      return true
    }
    end = captured.buffer.endFrame
    taken += captured.buffer.frameCount
    lost += captured.lost
    return true
  }

  func finish() {}
}
