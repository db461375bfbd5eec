public import ClientDependencies

extension AudioPlayerClient: TestDependencyKey {
  /// A client that reports an issue for every call.
  public static var testValue: AudioPlayerClient { AudioPlayerClient() }

  /// A client that makes no sound and takes the sound's duration on `\.continuousClock`.
  ///
  /// It knows the duration of buffers and of WAV files; any other file lasts three seconds.
  public static var previewValue: AudioPlayerClient { .preview() }
}

extension DependencyValues {
  /// The client that plays sound.
  public var audioPlayer: AudioPlayerClient {
    get { self[AudioPlayerClient.self] }
    set { self[AudioPlayerClient.self] = newValue }
  }
}
