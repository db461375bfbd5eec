/// A device that plays or captures audio.
public struct AudioDevice: Hashable, Sendable, Identifiable {
  /// A device's name in its sound system, which stays the same when other devices come and go.
  public struct ID: Hashable, Sendable, RawRepresentable, ExpressibleByStringLiteral {
    /// The name: `default`, `hw:CARD=PCH,DEV=0`, `virtual`.
    public let rawValue: String

    /// A device of this name; whether it exists shows when it is opened.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The literal is the name.
    public init(stringLiteral value: String) {
      self.init(rawValue: value)
    }
  }

  /// A direction that sound goes in.
  public enum Direction: String, Hashable, Sendable, CaseIterable {
    /// Towards a loudspeaker.
    case playback
    /// From a microphone.
    case capture
  }

  /// What to open it by.
  public let id: ID

  /// What people call it.
  public let name: String

  /// Whether it plays, captures, or both.
  public let directions: Set<Direction>

  /// Whether it is what a request without a device opens.
  public let isDefault: Bool

  /// Whether it exists in this process only, and no hardware is behind it.
  public let isVirtual: Bool

  /// Describes a device.
  public init(
    id: ID, name: String, directions: Set<Direction>, isDefault: Bool = false,
    isVirtual: Bool = false
  ) {
    self.id = id
    self.name = name
    self.directions = directions
    self.isDefault = isDefault
    self.isVirtual = isVirtual
  }
}

extension AudioDevice.ID: CustomStringConvertible {
  /// The device's name.
  public var description: String { rawValue }
}

/// How to handle a device that is lost during playback or capture: it was unplugged, or its sound
/// server ended or stopped responding.
///
/// Cases are added over time: a `switch` wants a `default`.
public enum DeviceLossPolicy: Hashable, Sendable {
  /// It ends with an error, within a second.
  case fail
  /// It goes on when the device is back within this time, counted from when the loss was noticed;
  /// otherwise it ends with the same error.
  ///
  /// The device is tried when the system reports that devices have come or gone, and after 1, 2, 4 and
  /// then every 5 seconds; one that is busy is not back yet. One that does not answer is opened anew
  /// in the same way, also while a call of the first opening does not return.
  case wait(atMost: Duration)
}
