import AudioCore
import Glibc

/// What to believe of a device's delay: plug-ins answer negative and absurd numbers, and errors at
/// the start.
enum Delay {
  /// A delay of more than so many device buffers is no latency of a server but nonsense.
  private static let believable = 16

  /// What an answer to the question for the delay means.
  enum Answer: Equatable {
    case frames
    /// The device has run dry: everything written has been heard.
    case dry
    case unknown
    case lost

    /// - Parameter code: 0, or a negative errno value.
    init(_ code: Int32, isDisconnected: Bool) {
      self =
        switch -code {
        case _ where isDisconnected: .lost
        case ENODEV, ENXIO: .lost
        case EPIPE: .dry
        case 1...: .unknown
        default: .frames
        }
    }
  }

  /// - Parameters:
  ///   - reported: the device's word, nil where it answered an error.
  ///   - held: the frames in its buffer by its write position, nil where that is not known either;
  ///     asked only where the device's word is not to be believed.
  ///   - last: what was believed before.
  /// - Returns: 0…16 buffers: a sound server has frames that are in the device's buffer no more.
  static func plausible(
    reported: Int?, held: @autoclosure () -> Int?, last: FrameCount, buffer: FrameCount
  ) -> FrameCount {
    if let reported, reported <= buffer.rawValue * believable {
      return FrameCount(max(0, reported))
    }
    return held().map { FrameCount(max(0, min($0, buffer.rawValue))) } ?? last
  }
}
