/// A group of sounds with a volume of its own, such as all music; any name makes one.
///
/// A bus stays, with its volume, for as long as its player: name few of them, and none for each
/// sound.
///
/// What a sound is heard with is the product of its own volume, that of its bus, and that of the
/// client.
public struct PlaybackBus: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
  /// The bus's name.
  public var rawValue: String

  /// The bus of this name.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// The bus of this name.
  public init(stringLiteral name: String) {
    rawValue = name
  }

  /// The bus of every sound that names no other.
  public static let main: PlaybackBus = "main"
  /// For music.
  public static let music: PlaybackBus = "music"
  /// For short sounds, such as those of a user interface.
  public static let effects: PlaybackBus = "effects"
}
