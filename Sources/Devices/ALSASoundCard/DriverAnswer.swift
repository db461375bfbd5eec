import AudioCore
import CALSA
import Glibc
import SoundCard

/// A driver's answer to a call that counts frames, checked before anything is computed with it.
///
/// A driver or a plug-in may answer any number, even one larger than any buffer.
enum DriverAnswer: Equatable {
  /// A count of 0 to as many frames as were asked for.
  case frames(Int)
  /// More frames than were asked for: alsa-lib then moves frames beyond the caller's memory.
  case excess
  /// An error, as a negative errno value.
  case failure(Int32)

  /// The largest errno value of the kernel; a lower answer is not an error code.
  private static let largestErrno = 4_095

  /// - Parameters:
  ///   - answer: the value that the call returned.
  ///   - asked: the largest count that makes sense.
  init(_ answer: snd_pcm_sframes_t, of asked: Int) {
    if answer < -Self.largestErrno {
      self = .failure(-EIO)
    } else if answer < 0 {
      self = .failure(Int32(answer))
    } else {
      self = answer > asked ? .excess : .frames(answer)
    }
  }
}

extension Int32 {
  /// The errno value of a call's negative code; a driver may return any number.
  var errnoValue: Int32 { 0 &- self }
}

extension OpenDevice {
  /// Gives up a device whose driver claims to have moved more than `asked` frames.
  ///
  /// alsa-lib has then moved other frames as well. No later number can be trusted.
  func loseExcessive(_ asked: Int) -> SoundCardError {
    _ = lose()
    return .failed(
      configuration.device, operation: direction.rawValue, code: 0,
      reason: "its driver claims more than the \(asked) frames that it was asked for")
  }
}
