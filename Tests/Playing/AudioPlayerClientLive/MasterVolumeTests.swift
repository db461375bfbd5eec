import Testing

@testable import AudioPlayerClientLive

@Suite struct MasterVolumeTests {
  @Test(
    arguments: zip([0.25, -1, 7, Float.nan, .infinity] as [Float], [0.25, 0, 1, 0, 1] as [Float]))
  func `the master volume is clamped`(given: Float, gain: Float) {
    let volume = MasterVolume()
    volume.gain = given
    #expect(volume.gain == gain)
  }
}
