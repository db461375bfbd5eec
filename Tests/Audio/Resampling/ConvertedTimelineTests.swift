import AudioCore
import Testing

@testable import Resampling

@Suite struct ConvertedTimelineTests {
  @Test func `frames are numbered from the beginning of the input at the new rate`() {
    var line = ConvertedTimeline()
    line.begin(at: 44_100, from: 44_100, to: 16_000)
    #expect(line.advance(by: 100) == 16_000)
    line.begin(at: 99_999, from: 44_100, to: 16_000)
    #expect(line.advance(by: 50) == 16_100)
    #expect(line.advance(by: 0) == 16_150)
  }
}
