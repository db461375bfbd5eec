import AudioCore
import CSoxr

/// The one owner of a soxr resampler; interleaved Float32 in and out.
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

  /// Takes frames in and gives frames out, each as many as fit; counts are in frames.
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

  /// Gives what is left after the end of the input; 0 frames when there is nothing more.
  func flush(into output: UnsafeMutablePointer<Float>, capacity: Int) throws(SoxrFailure) -> Int {
    var produced = 0
    // "End-of-input may be indicated by setting `in` to NULL."
    let failure = soxr_process(resampler, nil, 0, nil, output, capacity, &produced)
    if let failure { throw SoxrFailure(failure) }
    return produced
  }
}

/// What soxr said when it failed: its errors are texts without a code.
struct SoxrFailure: Error {
  let reason: String

  init(_ text: soxr_error_t?) {
    reason = text.map { String(cString: $0) } ?? "soxr gave no reason"
  }
}
