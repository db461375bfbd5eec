import AudioCore
import AudioThreads
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

/// The engines' descriptions, read on a dedicated thread because engines look at files.
struct InstalledEngines: Sendable {
  private let inUse: SpeechEngine
  private let all: [SpeechEngine]

  /// The engines at the time of the call; the one in use replaces its namesake.
  init() {
    @Dependency(\.speechEngine) var inUse
    @Dependency(\.speechEngines) var engines
    let current = inUse
    let isListed = engines.contains { $0.name == current.name }
    self.inUse = current
    all = (isListed ? [] : [current]) + engines.map { $0.name == current.name ? current : $0 }
  }

  /// The languages of the engine in use.
  func locales() async -> [String] {
    let languages = await runOnThread { Set(inUse.models().map(\.language)) }
    return (languages ?? []).sorted()
  }

  func descriptions() async -> [SpeechEngineDescription] {
    await runOnThread {
      let descriptions = all.map(describe)
      let others = descriptions.filter { !$0.isInUse }.flatMap(\.models)
      return descriptions.map { description in
        // The engine in use may fall back on another one for some languages.
        guard description.isInUse else { return description }
        var description = description
        description.models.removeAll(where: others.contains)
        return description
      }
    } ?? []
  }

  private func describe(_ engine: SpeechEngine) -> SpeechEngineDescription {
    var description = SpeechEngineDescription(
      name: engine.name, models: [], isInUse: engine.name == inUse.name,
      capabilities: engine.capabilities)
    switch engine.availability() {
    case .ready: description.models = engine.models()
    case .unavailable(let error): description.obstacle = "\(error)"
    }
    return description
  }

  /// Runs `body` on a thread; nil if the system refuses one or the caller is canceled.
  private func runOnThread<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value
  ) async -> Value? {
    await DedicatedThread.run(
      name: "syrinx-engines", abandoned: nil, failed: { _ in nil }, body)
  }
}
