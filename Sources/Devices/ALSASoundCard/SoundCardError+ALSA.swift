import AudioCore
import CALSA
import Glibc
import SoundCard

/// Maps ALSA's codes, negative errno values, to errors.
extension SoundCardError {
  /// The error of a failed opening.
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

  /// The error of a failed call on an open device.
  static func operating(
    _ id: AudioDevice.ID, _ operation: String, code: Int32
  ) -> SoundCardError {
    switch code.errnoValue {
    case ENODEV, ENXIO: .deviceLost(id)
    default: failure(of: id, in: operation, code: code)
    }
  }

  /// The error of a failed negotiation.
  static func negotiating(
    _ id: AudioDevice.ID, _ what: String, code: Int32, for direction: AudioDevice.Direction
  ) -> SoundCardError {
    switch code.errnoValue {
    case EINVAL, ENOENT: .unsupported(id, reason: "it offers no \(what)")
    // The plug-in of PulseAudio connects to the named sink or source only now.
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
  /// The device of a request without one: ALSA's configuration chooses it.
  static let alsaDefault: AudioDevice.ID = "default"
}
