import Testing

@testable import SoundFile

@Suite struct SyncClockTests {
  var clock = SyncClock()

  @Test
  mutating func `a flush of five seconds is not reported as slow, nor is time without a flush`() {
    let before = clock.slowness(at: .seconds(100))
    clock.begin(at: .zero)
    let slowness = clock.end(at: .seconds(5))
    let after = clock.slowness(at: .seconds(200))
    #expect([before, slowness, after] == [nil, nil, nil])
  }

  @Test mutating func `a disk that blocks for over five seconds is reported once, while it blocks`()
  {
    clock.begin(at: .zero)
    let reports = (0...8).map { clock.slowness(at: .seconds($0)) }
    #expect(reports.firstIndex(of: .seconds(6)) == 6)
    #expect(reports.compactMap(\.self).count == 1)
    let last = clock.end(at: .seconds(9))
    #expect(last == nil)
  }

  @Test mutating func `each slow call that was not observed while it ran is reported at its end`() {
    for start in [0, 100] {
      clock.begin(at: .seconds(start))
      let slowness = clock.end(at: .seconds(start + 6))
      #expect(slowness == .seconds(6))
    }
  }

  @Test mutating func `a flush that follows immediately is measured from its own start`() {
    clock.begin(at: .zero)
    let first = clock.end(at: .seconds(4))
    clock.begin(at: .seconds(4))
    let second = clock.end(at: .seconds(8))
    #expect(first == nil && second == nil)
  }
}
