import AudioCore

extension SoxrHandle {
  /// Converts interleaved samples and returns all the output that soxr has ready.
  func resampled(_ samples: [Float], channels: Int, ratio: Double) throws(SoxrFailure) -> [Float] {
    let frames = samples.count / channels
    var output: [Float] = []
    var taken = 0
    var isFull = true
    output.reserveCapacity(Int(Double(frames) * ratio + 1) * channels)
    // A full block means that more output may be ready; further calls return it.
    while taken < frames || isFull {
      let room = max(256, Int((Double(frames - taken) * ratio).rounded(.up)))
      let (consumed, block) = try step(samples, from: taken, channels: channels, room: room)
      taken += consumed
      isFull = block.count == room * channels
      output += block
    }
    return output
  }

  /// Returns the rest after the end of the input.
  func rest(channels: Int) throws(SoxrFailure) -> [Float] {
    let room = 4096
    var output: [Float] = []
    while true {
      let block = try block(room: room, channels: channels) { target throws(SoxrFailure) in
        try flush(into: target, capacity: room)
      }
      if block.isEmpty { return output }
      output += block
    }
  }

  private func step(
    _ samples: [Float], from frame: Int, channels: Int, room: Int
  ) throws(SoxrFailure) -> (consumed: Int, block: [Float]) {
    var consumed = 0
    let left = samples.count / channels - frame
    let block = try block(room: room, channels: channels) { target throws(SoxrFailure) in
      // The pointer is valid only during the call, and soxr copies its input.
      try samples.withUnsafeBufferPointer { source throws(SoxrFailure) in
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
    fill: (UnsafeMutablePointer<Float>) throws(SoxrFailure) -> Int
  ) throws(SoxrFailure) -> [Float] {
    var failure: SoxrFailure?
    let block = [Float](unsafeUninitializedCapacity: room * channels) { target, count in
      guard let start = target.baseAddress else { return }
      do throws(SoxrFailure) {
        count = try fill(start) * channels
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return block
  }
}
