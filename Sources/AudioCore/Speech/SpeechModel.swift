/// A model that a speech recognition engine has found.
public struct SpeechModel: Hashable, Sendable {
  /// Its language, as a BCP 47 tag such as `en-US`; `und` if it is unknown.
  public var language: String
  /// Its location: a path, or an address.
  public var location: String

  /// A model from its description.
  public init(language: String, location: String) {
    self.language = language
    self.location = location
  }
}
