/// A group of sounds with its own volume, such as all music; any name creates one.
///
/// A bus exists as long as its player, so use few names. A sound's volume is the product of its own
/// volume, its bus's, and the client's.
public struct PlaybackBus: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
  /// The name of the bus.
  public var rawValue: String

  /// Creates the bus of a name.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Creates the bus of a name.
  public init(stringLiteral name: String) {
    rawValue = name
  }

  /// The default bus.
  public static let main: PlaybackBus = "main"
  /// The bus for music.
  public static let music: PlaybackBus = "music"
  /// The bus for short sounds, such as those of a user interface.
  public static let effects: PlaybackBus = "effects"
}
