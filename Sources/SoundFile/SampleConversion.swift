/// Turns Float32 samples into whole numbers: rounded to the nearest, clipped at full scale.
///
/// Full scale is 2 to the power of bits − 1, as libsndfile has it when reading, so that whole
/// numbers come back as they were. What is not a number becomes silence.
enum SampleConversion {
  static func int24(_ sample: Float) -> Int32 {
    let scaled = (sample * 8_388_608).rounded(.toNearestOrEven)
    guard !scaled.isNaN else { return 0 }
    return Int32(min(max(scaled, -8_388_608), 8_388_607))
  }

  static func int32(_ sample: Float) -> Int32 {
    // The highest number of 32 bits is no Float.
    let scaled = (Double(sample) * 2_147_483_648).rounded(.toNearestOrEven)
    guard !scaled.isNaN else { return 0 }
    return Int32(min(max(scaled, -2_147_483_648), 2_147_483_647))
  }
}
