import Testing

@testable import SpeechClientLive

@Suite struct RunningMinimumTests {
  @Test func `only the newest values count`() {
    var minimum = RunningMinimum(window: 3)
    #expect([5, 3, 4, 6, 7, 8].map { minimum.add($0) } == [5, 3, 3, 3, 4, 6])
  }
}
