import AudioCore
import Testing

@testable import AudioPlayerClientLive

@Suite struct BusGainsTests {
  let gains = BusGains(rate: 1_000)
  let bus = BusVolume()

  @Test func `a bus begins where it was set, and moves block by block`() {
    bus.setting = .init(gain: 0.5, ramp: .seconds(1))
    gains.begin(after: 10)
    #expect(gains.ramp(of: bus) == GainRamp(0.5))
    bus.setting = .init(gain: 1, ramp: .milliseconds(20))
    gains.begin(after: 10)
    var ramp = gains.ramp(of: bus)
    #expect((0..<10).map { _ in ramp.next() }.last.map { abs($0 - 0.75) < 1e-6 } == true)
    gains.begin(after: 10)
    #expect(gains.ramp(of: bus) == ramp)
    gains.begin(after: 10)
    #expect(gains.ramp(of: bus).isSteady)
    #expect(gains.ramp(of: bus).current == 1)
  }

  @Test func `a bus on its way reaches the same volume sooner where it is to`() {
    gains.begin(after: 0)
    _ = gains.ramp(of: bus)
    bus.setting = .init(gain: 0, ramp: .seconds(60))
    for _ in 0..<3 {
      gains.begin(after: 10)
      _ = gains.ramp(of: bus)
    }
    bus.setting = .init(gain: 0, ramp: .milliseconds(20))
    for expected in [20, 10, 0] {
      gains.begin(after: 10)
      #expect(gains.ramp(of: bus).framesLeft == expected)
    }
    #expect(gains.ramp(of: bus).current == 0)
  }

  @Test func `a bus gives its place up when no voice of it sounds and it stands still`() {
    bus.setting = .init(gain: 0, ramp: .zero)
    gains.begin(after: 10)
    _ = gains.ramp(of: bus)
    bus.setting = .init(gain: 1, ramp: .milliseconds(25))
    gains.begin(after: 10)
    for _ in 0..<2 {
      gains.begin(after: 10)
      #expect(gains.count == 1)
    }
    gains.begin(after: 10)
    #expect(gains.count == 0)
  }

  @Test func `more buses than there are places are at their targets`() {
    let buses = (0..<200).map { _ in BusVolume() }
    gains.begin(after: 10)
    for bus in buses {
      bus.setting = .init(gain: 0.5, ramp: .zero)
      #expect(gains.ramp(of: bus) == GainRamp(0.5))
    }
    #expect(gains.count == 2 * VoiceTable.limit)
  }
}
