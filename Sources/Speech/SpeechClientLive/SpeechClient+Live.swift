import AudioCore
import AudioThreads
public import ClientDependencies
public import SpeechClient
public import SpeechEngine

extension SpeechClient: DependencyKey {
  /// Recognizes with `\.speechEngine`.
  ///
  /// Its calls use the dependencies overridden at the call, or else those of the scope in which the
  /// client was made. Each access makes a new client, whose `finishTask` ends only that client's
  /// tasks. Keep one client, as `@Dependency` does.
  public static var liveValue: SpeechClient {
    let (tasks, scope) = (SpeechTasks(), CreationScope())
    return SpeechClient(
      authorizationStatus: { scope.run { tasks.authorizationStatus() } },
      requestAuthorization: { await scope.run { await tasks.requestAuthorization() } },
      startTask: { request in scope.run { tasks.start(request) } },
      recognition: { request in scope.run { tasks.events(of: request) } },
      finishTask: { await tasks.finishAll() },
      supportedLocales: { await scope.run { await SpeechEngine.installedLocales() } },
      engines: { await scope.run { await SpeechEngine.installedDescriptions() } })
  }

  /// Returns a live client that uses an engine, unless `\.speechEngine` is overridden at the call.
  public static func live(on engine: SpeechEngine) -> SpeechClient {
    withDependencies {
      $0.speechEngine = engine
    } operation: {
      liveValue
    }
  }
}

extension SpeechEngine {
  /// Returns the languages of the engine in use.
  static func installedLocales() async -> [String] {
    @Dependency(\.speechEngine) var inUse
    let engine = inUse
    let languages = await runOnThread { Set(engine.models().map(\.language)) }
    return (languages ?? []).sorted()
  }

  /// Returns the descriptions of all engines.
  ///
  /// The engine in use replaces the listed engine with the same name.
  static func installedDescriptions() async -> [SpeechEngineDescription] {
    @Dependency(\.speechEngine) var inUse
    @Dependency(\.speechEngines) var engines
    let (asked, listed) = (inUse, engines)
    return await runOnThread {
      // An engine that combines several engines is listed as the engine that it chooses.
      let chosen = asked.choose(SpeechSessionOptions()) ?? asked
      var current = asked
      (current.name, current.capabilities) = (chosen.name, chosen.capabilities)
      let isListed = listed.contains { $0.name == chosen.name }
      let all = (isListed ? [] : [current]) + listed.map { $0.name == chosen.name ? current : $0 }
      let descriptions = all.map { $0.description(isInUse: $0.name == chosen.name) }
      let others = descriptions.filter { !$0.isInUse }.flatMap(\.models)
      return descriptions.map { description in
        // The engine in use may fall back on another listed engine for some languages. The models
        // of that engine are then listed only under its own name.
        guard description.isInUse else { return description }
        var description = description
        description.models.removeAll(where: others.contains)
        return description
      }
    } ?? []
  }

  private func description(isInUse: Bool) -> SpeechEngineDescription {
    var description = SpeechEngineDescription(
      name: name, models: [], isInUse: isInUse, capabilities: capabilities)
    switch availability() {
    case .ready: description.models = models()
    case .unavailable(let error): description.obstacle = "\(error)"
    }
    return description
  }

  /// Runs `body` on its own thread, because engines read files; returns nil if the system refuses a
  /// thread or the caller is canceled.
  private static func runOnThread<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value
  ) async -> Value? {
    await DedicatedThread.run(
      name: "syrinx-engines", abandoned: nil, failed: { _ in nil }, body)
  }
}
