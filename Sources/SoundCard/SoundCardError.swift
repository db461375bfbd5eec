public import AudioCore

/// Why a device could not be opened or ceased to work.
public enum SoundCardError: Error, Hashable, Sendable {
  /// There is neither a sound card nor a sound server for this direction.
  ///
  /// Connect one, or name a device.
  case noSoundCard(AudioDevice.Direction)
  /// No device has that name in this direction.
  ///
  /// List the devices and choose another.
  case unknownDevice(AudioDevice.ID, AudioDevice.Direction)
  /// Another program has the device for itself: `holder`, where the system tells.
  ///
  /// End that program, try again later, or use another device.
  case busy(AudioDevice.ID, holder: DeviceHolder? = nil)
  /// This user may not open the device.
  ///
  /// Usually the group `audio` is missing.
  case permissionDenied(AudioDevice.ID)
  /// The device offers nothing that could be converted to what was asked for.
  case unsupported(AudioDevice.ID, reason: String)
  /// The device is gone: unplugged, its server ended, or closed.
  case deviceLost(AudioDevice.ID)
  /// The device, or the sound server behind it, did not come back from a call in useful time.
  ///
  /// Restart the sound server, or use another device.
  case notAnswering(AudioDevice.ID, operation: String)
  /// Another failure of the sound system, with its own code and words.
  case failed(AudioDevice.ID, operation: String, code: Int32, reason: String)
}

extension SoundCardError {
  /// A device that runs, as it says, and moves no frame.
  package static func stalled(
    _ device: AudioDevice.ID, _ direction: AudioDevice.Direction
  ) -> SoundCardError {
    .failed(
      device, operation: direction.rawValue, code: 0,
      reason: direction == .playback ? "it takes no frames" : "it gives no frames")
  }

  /// The device that is gone, or as good as that, and may come back.
  package var lostDevice: AudioDevice.ID? {
    switch self {
    case .deviceLost(let id), .notAnswering(let id, _): id
    case .failed(let id, _, _, _):
      self == .stalled(id, .playback) || self == .stalled(id, .capture) ? id : nil
    default: nil
    }
  }

  /// Whether a device is gone, or as good as that, and may come back.
  package var isLoss: Bool { lostDevice != nil }
}

extension SoundCardError: CustomStringConvertible {
  /// A sentence for people: what was wrong, with which device, and what to do.
  public var description: String {
    switch self {
    case .noSoundCard(.playback):
      "no sound card and no sound server for playback; connect a device"
    case .noSoundCard(.capture):
      "no sound card and no sound server for capture; connect a device"
    case .unknownDevice(let id, let direction):
      "no \(direction.rawValue) device \"\(id)\"; choose another device"
    case .busy(let id, let holder):
      "the device \"\(id)\" is in use\(holder?.isGuess == true ? ", it seems," : "") "
        + "by \(holder?.description ?? "another program"); "
        + "close that program or choose another device"
    case .permissionDenied(let id):
      "this user may not open the device \"\(id)\"; "
        + "membership in the group \"audio\" usually permits it"
    case .unsupported(let id, let reason):
      "the device \"\(id)\" cannot be used: \(reason)"
    case .deviceLost(let id):
      "the device \"\(id)\" is gone: it was unplugged or its sound server ended"
    case .notAnswering(let id, let operation):
      "the device \"\(id)\" does not answer (\(operation)): its driver or its sound server hangs"
    case .failed(let id, let operation, let code, let reason):
      "the device \"\(id)\" failed in \(operation): \(reason) (code \(code))"
    }
  }
}

/// The program that has a device for itself.
public struct DeviceHolder: Hashable, Sendable {
  /// The program's name, as the system shows it.
  public let name: String

  /// The number of its process.
  public let processID: Int32

  /// Whether it is only the one program that could be it: it has a device that the name may lead
  /// to, and the name does not tell which.
  public let isGuess: Bool

  /// Describes a program.
  public init(name: String, processID: Int32, isGuess: Bool = false) {
    self.name = name
    self.processID = processID
    self.isGuess = isGuess
  }
}

extension DeviceHolder: CustomStringConvertible {
  /// The name and the process.
  public var description: String { "\(name) (process \(processID))" }
}
