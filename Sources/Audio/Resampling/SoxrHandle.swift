import AudioCore
import CSoxr

/// The owner of a soxr resampler with interleaved Float32 samples.
struct SoxrHandle: ~Copyable {
  private let resampler: soxr_t

  /// Creates a resampler between the rates of two formats.
  ///
  /// The corresponding C function is `soxr_create`.
  init(
    from: AudioFormat, to: AudioFormat, channels: Int, recipe: Int32
  ) throws(ResamplingError) {
    var failure: soxr_error_t?
    var input = soxr_io_spec(SOXR_FLOAT32_I, SOXR_FLOAT32_I)
    var quality = soxr_quality_spec(UInt(recipe), 0)
    var runtime = soxr_runtime_spec(1)
    let created = soxr_create(
      Double(from.sampleRate.hertz), Double(to.sampleRate.hertz), UInt32(channels), &failure,
      &input, &quality, &runtime)
    guard let created, failure == nil else {
      soxr_delete(created)
      throw .unsupported(from: from, to: to, reason: text(failure))
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
  ) throws(ResamplingError) -> (consumed: Int, produced: Int) {
    var consumed = 0
    var produced = 0
    let failure = soxr_process(resampler, input, count, &consumed, output, capacity, &produced)
    if let failure { throw .failed(reason: text(failure)) }
    return (consumed, produced)
  }

  /// Returns the remaining output after the end of the input; 0 frames if there is none.
  func flush(into output: UnsafeMutablePointer<Float>, capacity: Int) throws(ResamplingError) -> Int
  {
    var produced = 0
    // "End-of-input may be indicated by setting `in` to NULL."
    let failure = soxr_process(resampler, nil, 0, nil, output, capacity, &produced)
    if let failure { throw .failed(reason: text(failure)) }
    return produced
  }
}

/// soxr's message about a failure; its errors have no codes.
private func text(_ failure: soxr_error_t?) -> String {
  failure.map { String(cString: $0) } ?? "soxr gave no reason"
}

extension SoxrHandle {
  /// Converts interleaved samples and returns all the output that soxr has ready.
  func resampled(_ samples: [Float], channels: Int, ratio: Double) throws(ResamplingError)
    -> [Float]
  {
    let frames = samples.count / channels
    var output: [Float] = []
    var taken = 0
    var isFull = true
    output.reserveCapacity(Int(clamping: Double(frames) * ratio + 1) * channels)
    // A full block means that more output may be ready; further calls return it.
    while taken < frames || isFull {
      let room = max(256, Int(clamping: (Double(frames - taken) * ratio).rounded(.up)))
      let (consumed, block) = try step(samples, from: taken, channels: channels, room: room)
      taken += consumed
      isFull = block.count == room * channels
      output += block
    }
    return output
  }

  /// Returns the remaining output after the end of the input.
  func rest(channels: Int) throws(ResamplingError) -> [Float] {
    let room = 4096
    var output: [Float] = []
    while true {
      let block = try block(room: room, channels: channels) { target throws(ResamplingError) in
        try flush(into: target, capacity: room)
      }
      if block.isEmpty { return output }
      output += block
    }
  }

  private func step(
    _ samples: [Float], from frame: Int, channels: Int, room: Int
  ) throws(ResamplingError) -> (consumed: Int, block: [Float]) {
    var consumed = 0
    let left = samples.count / channels - frame
    let block = try block(room: room, channels: channels) { target throws(ResamplingError) in
      // The pointer is valid only during the call, and soxr copies its input.
      try samples.withUnsafeBufferPointer { source throws(ResamplingError) in
        guard let start = source.baseAddress else { return 0 }
        let done = try process(
          start + frame * channels, count: left, into: target, capacity: room)
        consumed = done.consumed
        return done.produced
      }
    }
    return (consumed, block)
  }

  /// A block of at most `room` frames; `fill` returns the number of frames that it has written.
  private func block(
    room: Int, channels: Int,
    fill: (UnsafeMutablePointer<Float>) throws(ResamplingError) -> Int
  ) throws(ResamplingError) -> [Float] {
    var failure: ResamplingError?
    let block = [Float](unsafeUninitializedCapacity: room * channels) { target, count in
      guard let start = target.baseAddress else { return }
      do throws(ResamplingError) {
        count = try fill(start) * channels
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return block
  }
}
