import AudioPlayerClient
import Testing

@testable import AudioPlayerClientLive

@Suite struct BusVolumeTests {
  @Test func `a bus name always yields the same volume, which begins at gain 1`() async {
    let player = AudioPlayer()
    let speech = await player.volume(of: "speech")
    #expect(await player.volume(of: "speech") === speech)
    #expect(await player.volume(of: .music) !== speech)
    #expect(speech.setting.gain == 1)
    #expect(speech.setting.ramp == .zero)
  }

  @Test(
    arguments: [
      (0.25, .milliseconds(2_500), 0.25, .milliseconds(2_500)),
      (-1, .seconds(-1), 0, .zero), (Float.nan, .zero, 0, .zero), (.infinity, .zero, 1, .zero),
      (9, .seconds(1 << 40), 1, .milliseconds(Int64(UInt32.max))),
    ] as [(Float, Duration, Float, Duration)])
  func `the gain and the ramp of a bus are stored together and clamped`(
    gain: Float, ramp: Duration, kept: Float, time: Duration
  ) {
    let bus = BusVolume()
    bus.setting = (gain, ramp)
    #expect(bus.setting.gain == kept)
    #expect(bus.setting.ramp == time)
  }
}
