import AudioCore
import AudioRecorderClient
import Testing

@testable import AudioRecorderClientLive

@Suite struct CaptureTimesTests {
  private func block(at time: Duration) -> CapturedAudio {
    CapturedAudio(buffer: AudioBuffer(silence: 160, format: .speech), time: time)
  }

  @Test func `time begins with the first frame and advances by frames`() {
    var times = CaptureTimes(rate: .speech)
    times.note(block(at: .seconds(7)), isGap: false)
    #expect(times.advance(by: 100) == .zero)
    times.note(block(at: .seconds(9)), isGap: false)
    #expect(times.advance(by: 160) == .microseconds(6_250))
  }

  @Test func `capture times never decrease after a gap`() {
    var times = CaptureTimes(rate: .speech)
    times.note(block(at: .zero), isGap: false)
    _ = times.advance(by: 16_000)
    times.note(block(at: .milliseconds(900)), isGap: true)
    #expect(times.advance(by: 160) == .seconds(1))
  }
}
