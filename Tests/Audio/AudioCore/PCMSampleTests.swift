import AudioCore
import Testing

@Suite struct PCMSampleTests {
  @Test(
    arguments: [
      (0, 0), (0.5, 4_194_304), (1, 8_388_607), (-1, -8_388_608), (1.0 / 8_388_608, 1),
      (-.infinity, -8_388_608), (.nan, 0),
    ] as [(Float, Int32)])
  func `24-bit samples are clipped at their full scale`(sample: Float, whole: Int32) {
    #expect(sample.int24Sample == whole)
  }

  @Test(
    arguments: [
      (0, 0), (0.5, 1 << 30), (1, .max), (-1, .min), (2, .max), (-.infinity, .min), (.nan, 0),
      (0x1p-31, 1), (-0x1p-31, -1),
    ] as [(Float, Int32)])
  func `32-bit samples use the whole integer range`(sample: Float, whole: Int32) {
    #expect(sample.int32Sample == whole)
  }

  @Test func `16-bit samples are rounded to the nearest integer and limited to full scale`() {
    let samples: [Float] = [0, 0.6 / 32_768, -0.6 / 32_768, 0.5, 1, -1, 2, -.infinity, .nan]
    #expect(samples.inSixteenBits == [0, 1, -1, 16_384, .max, .min, .max, .min, 0])
  }
}
