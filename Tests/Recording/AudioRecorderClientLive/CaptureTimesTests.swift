import AudioCore
import Testing

@testable import AudioRecorderClientLive

@Suite struct CaptureTimesTests {
  private func block(at time: Duration, lost: FrameCount = 0) -> DeviceAudio {
    DeviceAudio(buffer: AudioBuffer(silence: 160, format: .speech), time: time, lost: lost)
  }

  @Test func `time begins with the first frame and advances by frames`() {
    var times = CaptureTimes(rate: .speech)
    times.note(block(at: .seconds(7)))
    #expect(times.take(100) == .zero)
    times.note(block(at: .seconds(9)))
    #expect(times.take(160) == .microseconds(6_250))
  }

  @Test func `a loss before the first frame belongs to the capture`() {
    var times = CaptureTimes(rate: .speech)
    times.note(block(at: .seconds(7), lost: 1_600))
    #expect(times.take(160) == .milliseconds(100))
  }

  @Test func `time never goes back after a gap`() {
    var times = CaptureTimes(rate: .speech)
    times.note(block(at: .zero))
    _ = times.take(16_000)
    times.note(block(at: .milliseconds(900), lost: 10))
    #expect(times.take(160) == .seconds(1))
  }
}
