public import ClientDependencies

extension AudioRecorderClient: TestDependencyKey {
  /// A client that reports an issue for every call.
  public static var testValue: AudioRecorderClient { AudioRecorderClient() }

  /// A client whose microphone hears a soft tone, at the pace of `\.continuousClock`; it writes no
  /// file.
  public static var previewValue: AudioRecorderClient { .preview() }
}

extension DependencyValues {
  /// The client that records sound.
  public var audioRecorder: AudioRecorderClient {
    get { self[AudioRecorderClient.self] }
    set { self[AudioRecorderClient.self] = newValue }
  }
}
