import AudioCore
import AudioThreads
import ClientDependencies
import SpeechClient
import SpeechEngine

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
