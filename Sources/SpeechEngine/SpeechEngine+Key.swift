public import ClientDependencies

extension SpeechEngine: TestDependencyKey {
  /// An engine that reports an issue when it is used.
  public static var testValue: SpeechEngine { SpeechEngine() }
}

extension DependencyValues {
  /// The speech engine below the speech client.
  ///
  /// In tests it is unimplemented: override it, for example with the scripted one of
  /// `SyrinxTestSupport`.
  public var speechEngine: SpeechEngine {
    get { self[SpeechEngine.self] }
    set { self[SpeechEngine.self] = newValue }
  }
}
