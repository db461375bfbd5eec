/// Turns Float32 samples into whole numbers: rounded to the nearest, clipped at full scale.
///
/// Full scale is 2 to the power of bits − 1, as libsndfile has it when reading, so that whole
/// numbers come back as they were. What is not a number becomes silence.
enum SampleConversion {
  static func int16(_ sample: Float) -> Int16 {
    Int16(whole(sample, fullScale: 32_768))
  }

  /// 24 bits at the upper end of 32, as libsndfile wants them.
  static func int24(_ sample: Float) -> Int32 {
    whole(sample, fullScale: 8_388_608) << 8
  }

  private static func whole(_ sample: Float, fullScale: Float) -> Int32 {
    let scaled = (sample * fullScale).rounded(.toNearestOrEven)
    guard !scaled.isNaN else { return 0 }
    return Int32(min(max(scaled, -fullScale), fullScale - 1))
  }
}
