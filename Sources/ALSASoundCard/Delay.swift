import AudioCore

/// What to believe of a device's delay: plug-ins answer negative and absurd numbers, and errors at
/// the start.
enum Delay {
  /// A delay of more than so many device buffers is no latency of a server but nonsense.
  private static let believable = 16

  /// - Parameters:
  ///   - reported: the device's word, nil where it answered an error.
  ///   - held: the frames in its buffer by its write position, nil where that is not known either.
  /// - Returns: 0…buffer.
  static func plausible(reported: Int?, held: Int?, buffer: FrameCount) -> FrameCount {
    let limit = buffer.rawValue
    let believed = reported.flatMap { $0 / believable > limit ? nil : $0 }
    return FrameCount(min(max(0, believed ?? held ?? 0), limit))
  }
}
