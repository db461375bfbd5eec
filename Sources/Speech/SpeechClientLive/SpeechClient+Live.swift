public import ClientDependencies
public import SpeechClient
public import SpeechEngine

extension SpeechClient: DependencyKey {
  /// Recognizes with `\.speechEngine`.
  ///
  /// Its dependencies are those overridden at the call, or else those of the scope that it is made
  /// in. Each access makes a client that finishes only its own tasks: keep one, as `@Dependency`
  /// does.
  public static var liveValue: SpeechClient {
    let (tasks, scope) = (SpeechTasks(), CreationScope())
    return SpeechClient(
      authorizationStatus: { scope.run { tasks.authorizationStatus() } },
      requestAuthorization: { await scope.run { await tasks.requestAuthorization() } },
      startTask: { request in scope.run { tasks.start(request) } },
      recognition: { request in scope.run { tasks.events(of: request) } },
      finishTask: { await tasks.finishAll() },
      supportedLocales: { await scope.run { await InstalledEngines().locales() } },
      engines: { await scope.run { await InstalledEngines().descriptions() } })
  }

  /// A live client on an engine; an override of `\.speechEngine` at the call takes precedence.
  public static func live(on engine: SpeechEngine) -> SpeechClient {
    withDependencies {
      $0.speechEngine = engine
    } operation: {
      liveValue
    }
  }
}
