import Testing

@testable import SoundFile

@Suite struct SampleConversionTests {
  @Test(
    arguments: [
      (0, 0), (0.5, 16_384), (-0.5, -16_384), (1, 32_767), (-1, -32_768), (3, 32_767),
      (-3, -32_768),
      (0.6 / 32_768, 1), (-0.6 / 32_768, -1), (0.4 / 32_768, 0), (.infinity, 32_767), (.nan, 0),
    ] as [(Float, Int16)])
  func `16 bit are rounded to the nearest and clipped`(sample: Float, whole: Int16) {
    #expect(SampleConversion.int16(sample) == whole)
  }

  @Test(
    arguments: [
      (0, 0), (0.5, 4_194_304 << 8), (1, 8_388_607 << 8), (-1, -8_388_608 << 8),
      (1.0 / 8_388_608, 1 << 8), (-.infinity, -8_388_608 << 8), (.nan, 0),
    ] as [(Float, Int32)])
  func `24 bit lie at the upper end of 32`(sample: Float, whole: Int32) {
    #expect(SampleConversion.int24(sample) == whole)
  }
}
