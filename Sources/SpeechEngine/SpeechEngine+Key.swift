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

/// The key of `\.speechEngines`.
private enum SpeechEnginesKey: DependencyKey {
  static var liveValue: [SpeechEngine] { [] }
  static var testValue: [SpeechEngine] { [] }
}

extension DependencyValues {
  /// The engines that a program can choose from, for `SpeechClient.engines`.
  ///
  /// It is empty until the program sets it; while it is empty, `\.speechEngine` is the only one.
  public var speechEngines: [SpeechEngine] {
    get { self[SpeechEnginesKey.self] }
    set { self[SpeechEnginesKey.self] = newValue }
  }
}
