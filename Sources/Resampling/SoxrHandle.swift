import AudioCore
import CSoxr

/// The owner of a soxr resampler with interleaved Float32 samples.
struct SoxrHandle: ~Copyable {
  private let resampler: soxr_t

  /// The corresponding C function is `soxr_create`.
  init(from: SampleRate, to: SampleRate, channels: Int, recipe: Int32) throws(SoxrFailure) {
    var failure: soxr_error_t?
    var input = soxr_io_spec(SOXR_FLOAT32_I, SOXR_FLOAT32_I)
    var quality = soxr_quality_spec(UInt(recipe), 0)
    var runtime = soxr_runtime_spec(1)
    let created = soxr_create(
      Double(from.hertz), Double(to.hertz), UInt32(channels), &failure, &input, &quality, &runtime)
    guard let created, failure == nil else {
      soxr_delete(created)
      throw SoxrFailure(failure)
    }
    resampler = created
  }

  deinit {
    soxr_delete(resampler)
  }

  /// Converts as many frames as fit; counts are in frames.
  ///
  /// The corresponding C function is `soxr_process`.
  func process(
    _ input: UnsafePointer<Float>, count: Int, into output: UnsafeMutablePointer<Float>,
    capacity: Int
  ) throws(SoxrFailure) -> (consumed: Int, produced: Int) {
    var consumed = 0
    var produced = 0
    let failure = soxr_process(resampler, input, count, &consumed, output, capacity, &produced)
    if let failure { throw SoxrFailure(failure) }
    return (consumed, produced)
  }

  /// Returns the rest after the end of the input; 0 frames if there is none.
  func flush(into output: UnsafeMutablePointer<Float>, capacity: Int) throws(SoxrFailure) -> Int {
    var produced = 0
    // "End-of-input may be indicated by setting `in` to NULL."
    let failure = soxr_process(resampler, nil, 0, nil, output, capacity, &produced)
    if let failure { throw SoxrFailure(failure) }
    return produced
  }
}

/// soxr's message about a failure; its errors have no codes.
struct SoxrFailure: Error {
  let reason: String

  init(_ text: soxr_error_t?) {
    reason = text.map { String(cString: $0) } ?? "soxr gave no reason"
  }
}
