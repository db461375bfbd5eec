import AudioPlayerClient
import Testing

@testable import AudioPlayerClientLive

@Suite struct BusVolumesTests {
  @Test func `a bus keeps its identity by name and begins at gain 1`() {
    let buses = BusVolumes()
    #expect(buses["speech"] === buses["speech"])
    #expect(buses["speech"] !== buses[.music])
    #expect(buses[.main].setting == .init(gain: 1, ramp: .zero))
  }

  @Test func `the gain and the ramp of a bus are stored together and clamped`() {
    let bus = BusVolume()
    bus.setting = .init(gain: 0.3, ramp: .milliseconds(2_500))
    #expect(bus.setting == .init(gain: 0.3, ramp: .milliseconds(2_500)))
  }

  @Test(
    arguments: [
      (-1, .seconds(-1), 0, .zero), (Float.nan, .zero, 0, .zero),
      (9, .seconds(1 << 40), 1, .milliseconds(Int64(UInt32.max))),
    ] as [(Float, Duration, Float, Duration)])
  func `values out of range are clamped`(
    gain: Float, ramp: Duration, kept: Float, time: Duration
  ) {
    let bus = BusVolume()
    bus.setting = .init(gain: gain, ramp: ramp)
    #expect(bus.setting == .init(gain: kept, ramp: time))
  }
}
