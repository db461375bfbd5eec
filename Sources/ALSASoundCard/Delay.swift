import AudioCore

/// What to believe of a device's delay: plug-ins answer negative and absurd numbers, and errors at
/// the start.
enum Delay {
  /// A delay of more than so many device buffers is no latency of a server but nonsense.
  private static let believable = 16

  /// - Parameters:
  ///   - reported: the device's word, nil where it answered an error.
  ///   - held: the frames in its buffer by its write position, nil where that is not known either.
  /// - Returns: 0…16 buffers: a sound server has frames that are in the device's buffer no more.
  static func plausible(reported: Int?, held: Int?, buffer: FrameCount) -> FrameCount {
    let believed = reported.flatMap { $0 > buffer.rawValue * believable ? nil : $0 }
    return FrameCount(max(0, believed ?? min(held ?? 0, buffer.rawValue)))
  }
}
