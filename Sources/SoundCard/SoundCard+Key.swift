public import ClientDependencies

extension SoundCard: TestDependencyKey {
  /// A sound card that reports an issue for every call.
  public static var testValue: SoundCard { SoundCard() }
}

extension DependencyValues {
  /// The sound card that the playback and capture engines open devices on.
  public var soundCard: SoundCard {
    get { self[SoundCard.self] }
    set { self[SoundCard.self] = newValue }
  }
}
