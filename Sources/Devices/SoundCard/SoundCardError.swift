public import AudioCore

/// Why a device could not be opened, or why it stopped working.
public enum SoundCardError: Error, Hashable, Sendable {
  /// There is neither a sound card nor a sound server for this direction.
  ///
  /// Connect a device, or request a device by its name.
  case noSoundCard(AudioDevice.Direction)
  /// No device has that name in this direction.
  ///
  /// List the devices and choose another.
  case unknownDevice(AudioDevice.ID, AudioDevice.Direction)
  /// Another program uses the device exclusively: `holder`, if the system reports it.
  case busy(AudioDevice.ID, holder: DeviceHolder? = nil)
  /// The process has no permission to open the device.
  ///
  /// Usually the user is not in the group `audio`.
  case permissionDenied(AudioDevice.ID)
  /// The device offers no format that can be converted to the requested format.
  case unsupported(AudioDevice.ID, reason: String)
  /// The device was unplugged or closed, or its sound server ended.
  case deviceLost(AudioDevice.ID)
  /// A call into the device or its sound server did not return in time.
  case notResponding(AudioDevice.ID, operation: String)
  /// Another failure of the sound system, with its code and message.
  case failed(AudioDevice.ID, operation: String, code: Int32, reason: String)
}

extension SoundCardError {
  /// Returns the error for a device that claims to run but moves no frames.
  package static func stalled(
    _ device: AudioDevice.ID, _ direction: AudioDevice.Direction
  ) -> SoundCardError {
    .failed(
      device, operation: direction.rawValue, code: 0,
      reason: direction == .playback ? "it accepts no frames" : "it delivers no frames")
  }

  /// The device, if it was lost and may come back.
  package var lostDevice: AudioDevice.ID? {
    switch self {
    case .deviceLost(let id), .notResponding(let id, _): id
    case .failed(let id, _, _, _):
      self == .stalled(id, .playback) || self == .stalled(id, .capture) ? id : nil
    default: nil
    }
  }

  /// Whether a device was lost and may come back.
  package var isLoss: Bool { lostDevice != nil }
}

extension SoundCardError: CustomStringConvertible {
  /// A sentence for users: the failure, the device, and the remedy.
  public var description: String {
    switch self {
    case .noSoundCard(.playback):
      "no sound card and no sound server for playback; connect a device"
    case .noSoundCard(.capture):
      "no sound card and no sound server for capture; connect a device"
    case .unknownDevice(let id, let direction):
      "no \(direction.rawValue) device \"\(id)\"; choose another device"
    case .busy(let id, let holder):
      "the device \"\(id)\" is in use\(holder?.isGuess == true ? ", apparently" : "") "
        + "by \(holder?.description ?? "another program"); "
        + "close that program or choose another device"
    case .permissionDenied(let id):
      "this user may not open the device \"\(id)\"; "
        + "membership in the group \"audio\" usually permits it"
    case .unsupported(let id, let reason):
      "the device \"\(id)\" cannot be used: \(reason)"
    case .deviceLost(let id):
      "the device \"\(id)\" was lost: it was unplugged or its sound server ended"
    case .notResponding(let id, let operation):
      "the device \"\(id)\" does not respond (\(operation)): its driver or sound server hangs"
    case .failed(let id, let operation, 0, let reason):
      "the device \"\(id)\" failed in \(operation): \(reason)"
    case .failed(let id, let operation, let code, let reason):
      "the device \"\(id)\" failed in \(operation): \(reason) (code \(code))"
    }
  }
}

/// The program that uses a device exclusively.
public struct DeviceHolder: Hashable, Sendable {
  /// The program's name, as the system shows it.
  public let name: String

  /// The process ID.
  public let processID: Int32

  /// Whether the program is only the likely holder, because the device name is ambiguous.
  public let isGuess: Bool

  /// Creates a description of a program that uses a device.
  public init(name: String, processID: Int32, isGuess: Bool = false) {
    self.name = name
    self.processID = processID
    self.isGuess = isGuess
  }
}

extension DeviceHolder: CustomStringConvertible {
  /// The program name and process ID.
  public var description: String { "\(name) (process \(processID))" }
}
