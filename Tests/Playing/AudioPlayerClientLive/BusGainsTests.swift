import AudioCore
import Testing

@testable import AudioPlayerClientLive

@Suite struct BusGainsTests {
  let gains = BusGains(rate: 1_000)
  let bus = BusVolume()

  @Test func `the gain of a bus begins at its setting and moves block by block`() {
    bus.setting = (0.5, .seconds(1))
    gains.begin(after: 10)
    #expect(gains.gain(of: bus) == SmoothedGain(0.5))
    bus.setting = (1, .milliseconds(20))
    gains.begin(after: 10)
    var ramp = gains.gain(of: bus)
    #expect((0..<10).map { _ in ramp.next() }.last.map { abs($0 - 0.75) < 1e-6 } == true)
    gains.begin(after: 10)
    #expect(gains.gain(of: bus) == ramp)
    gains.begin(after: 10)
    #expect(gains.gain(of: bus).isSteady)
    #expect(gains.gain(of: bus).current == 1)
  }

  @Test func `a shorter ramp to the same volume speeds up the ramp of a bus`() {
    gains.begin(after: 0)
    _ = gains.gain(of: bus)
    bus.setting = (0, .seconds(60))
    for _ in 0..<3 {
      gains.begin(after: 10)
      _ = gains.gain(of: bus)
    }
    bus.setting = (0, .milliseconds(20))
    for expected in [20, 10, 0] {
      gains.begin(after: 10)
      #expect(gains.gain(of: bus).framesLeft == expected)
    }
    #expect(gains.gain(of: bus).current == 0)
  }

  @Test func `a bus gives up its entry when none of its voices sounds and its gain is steady`() {
    bus.setting = (0, .zero)
    gains.begin(after: 10)
    _ = gains.gain(of: bus)
    bus.setting = (1, .milliseconds(25))
    gains.begin(after: 10)
    for _ in 0..<2 {
      gains.begin(after: 10)
      #expect(gains.count == 1)
    }
    gains.begin(after: 10)
    #expect(gains.count == 0)
  }

  @Test func `buses beyond the limit of entries have their target gains`() {
    let buses = (0..<200).map { _ in BusVolume() }
    gains.begin(after: 10)
    for bus in buses {
      bus.setting = (0.5, .zero)
      #expect(gains.gain(of: bus) == SmoothedGain(0.5))
    }
    #expect(gains.count == 2 * VoiceTable.limit)
  }
}
