public import ClientDependencies

extension SpeechClient: TestDependencyKey {
  /// A client whose endpoints report an issue when they are called.
  public static var testValue: SpeechClient { SpeechClient() }

  /// A client that recognizes the same sentence in any audio, word by word on `\.continuousClock`.
  public static var previewValue: SpeechClient { .preview() }
}

extension DependencyValues {
  /// The client that recognizes speech.
  public var speechClient: SpeechClient {
    get { self[SpeechClient.self] }
    set { self[SpeechClient.self] = newValue }
  }
}
