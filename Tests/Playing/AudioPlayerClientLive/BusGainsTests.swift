import AudioCore
import Testing

@testable import AudioPlayerClientLive

@Suite struct BusGainsTests {
  let gains = BusGains(rate: 1_000)
  let bus = BusVolume()

  @Test func `the gain of a bus begins at its setting and moves block by block`() {
    bus.setting = .init(gain: 0.5, ramp: .seconds(1))
    gains.begin(after: 10)
    #expect(gains.gain(of: bus) == SmoothedGain(0.5))
    bus.setting = .init(gain: 1, ramp: .milliseconds(20))
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
    bus.setting = .init(gain: 0, ramp: .seconds(60))
    for _ in 0..<3 {
      gains.begin(after: 10)
      _ = gains.gain(of: bus)
    }
    bus.setting = .init(gain: 0, ramp: .milliseconds(20))
    for expected in [20, 10, 0] {
      gains.begin(after: 10)
      #expect(gains.gain(of: bus).framesLeft == expected)
    }
    #expect(gains.gain(of: bus).current == 0)
  }

  @Test func `a bus releases its entry when none of its voices sounds and its gain is steady`() {
    bus.setting = .init(gain: 0, ramp: .zero)
    gains.begin(after: 10)
    _ = gains.gain(of: bus)
    bus.setting = .init(gain: 1, ramp: .milliseconds(25))
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
      bus.setting = .init(gain: 0.5, ramp: .zero)
      #expect(gains.gain(of: bus) == SmoothedGain(0.5))
    }
    #expect(gains.count == 2 * VoiceTable.limit)
  }
}
