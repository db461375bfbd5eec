public import ClientDependencies
public import SpeechClient

extension SpeechClient: DependencyKey {
  /// Recognizes with the engine that is `\.speechEngine` at the time of the call.
  ///
  /// Each access makes a client that finishes only its own tasks: keep one, as `@Dependency` does.
  public static var liveValue: SpeechClient {
    let tasks = SpeechTasks()
    return SpeechClient(
      authorizationStatus: { tasks.authorizationStatus() },
      requestAuthorization: { await tasks.requestAuthorization() },
      startTask: { tasks.start($0) },
      recognition: { tasks.events(of: $0) },
      finishTask: { await tasks.finishAll() },
      supportedLocales: { await InstalledEngines().locales() },
      engines: { await InstalledEngines().descriptions() })
  }
}
