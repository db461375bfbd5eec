public import ClientDependencies

extension AudioPlayerClient: TestDependencyKey {
  /// A client that reports an issue for every call.
  public static var testValue: AudioPlayerClient { AudioPlayerClient() }

  /// A silent client that takes the sound's duration on `\.continuousClock`.
  ///
  /// A file plays for three seconds, or for the range that is requested.
  public static var previewValue: AudioPlayerClient { .preview() }
}

extension DependencyValues {
  /// The client that plays sound.
  public var audioPlayer: AudioPlayerClient {
    get { self[AudioPlayerClient.self] }
    set { self[AudioPlayerClient.self] = newValue }
  }
}
