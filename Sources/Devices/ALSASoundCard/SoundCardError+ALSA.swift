import AudioCore
import CALSA
import Glibc
import SoundCard

/// Maps ALSA's codes, negative errno values, to errors.
extension SoundCardError {
  /// Returns the error to throw after a failed opening.
  static func opening(
    _ id: AudioDevice.ID, for direction: AudioDevice.Direction, code: Int32
  ) -> SoundCardError {
    switch code.errnoValue {
    case ENOENT, ENODEV, ENXIO, EINVAL:
      isDefault(id) ? .noSoundCard(direction) : .unknownDevice(id, direction)
    case ECONNREFUSED, ECONNRESET, ECONNABORTED, EHOSTUNREACH, ETIMEDOUT:
      isDefault(id)
        ? .noSoundCard(direction)
        : failure(of: id, in: "snd_pcm_open", code: code, preface: "its sound server: ")
    case EBUSY, EAGAIN: .busy(id, holder: HolderSearch().holder(of: id, for: direction))
    case EACCES, EPERM: .permissionDenied(id)
    default: failure(of: id, in: "snd_pcm_open", code: code)
    }
  }

  /// Returns the error to throw after a failed call on an open device.
  static func operating(
    _ id: AudioDevice.ID, _ operation: String, code: Int32
  ) -> SoundCardError {
    switch code.errnoValue {
    case ENODEV, ENXIO: .deviceLost(id)
    default: failure(of: id, in: operation, code: code)
    }
  }

  /// Returns the error to throw after a failed negotiation.
  static func negotiating(
    _ id: AudioDevice.ID, _ what: String, code: Int32, for direction: AudioDevice.Direction
  ) -> SoundCardError {
    switch code.errnoValue {
    case EINVAL, ENOENT: .unsupported(id, reason: "it offers no \(what)")
    // PulseAudio's plug-in connects to the named sink or source during the negotiation, not when
    // the device is opened.
    case EIO where id.rawValue.hasPrefix("pulse:"):
      .unsupported(
        id,
        reason: """
          the sound server has no \(direction == .playback ? "sink" : "source") \
          "\(id.rawValue.dropFirst("pulse:".count))", or refuses it
          """)
    default: operating(id, "setting a \(what)", code: code)
    }
  }

  private static func isDefault(_ id: AudioDevice.ID) -> Bool { id == .alsaDefault }

  private static func failure(
    of id: AudioDevice.ID, in operation: String, code: Int32, preface: String = ""
  ) -> SoundCardError {
    let words = snd_strerror(code).map { String(cString: $0) } ?? "unknown"
    return .failed(id, operation: operation, code: code.errnoValue, reason: preface + words)
  }
}

extension AudioDevice.ID {
  /// The device that ALSA's configuration selects, for a request that names none.
  static let alsaDefault: AudioDevice.ID = "default"
}

/// The checked result of a driver call that returns a number of frames.
///
/// A driver or a plug-in may return any number, even one larger than any buffer.
enum DriverAnswer: Equatable {
  /// A count from 0 to the requested number of frames.
  case frames(Int)
  /// More frames than requested; alsa-lib has then accessed memory past the end of the transfer.
  case excess
  /// An error, as a negative errno value.
  case failure(Int32)

  /// The kernel's largest errno value: its error codes are −4095 to −1.
  private static let largestErrno = 4_095

  /// - Parameters:
  ///   - answer: the result of the call.
  ///   - asked: the requested number of frames, the largest valid result.
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
  /// The errno value of a negative error code.
  ///
  /// It does not trap on `Int32.min`, which a faulty driver may return.
  var errnoValue: Int32 { 0 &- self }
}

extension ALSADevice {
  /// Marks a device as lost if its driver reports more than `asked` moved frames.
  ///
  /// By then, alsa-lib has moved the excess frames, too, and no later number from the driver can be
  /// trusted.
  func loseExcessive(_ asked: Int) -> SoundCardError {
    _ = lose()
    return .failed(
      configuration.device, operation: direction.rawValue, code: 0,
      reason: "its driver claims more than the \(asked) frames that it was asked for")
  }
}
