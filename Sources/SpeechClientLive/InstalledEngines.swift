import AudioThreads
import ClientDependencies
import SpeechClient
import SpeechEngine

/// What the engines say of themselves, asked on a thread for it alone, because they look at files.
struct InstalledEngines: Sendable {
  private let inUse: SpeechEngine
  private let all: [SpeechEngine]

  /// The engines at the time of the call; the one in use counts in place of its namesake.
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
    let languages = await look { Set(inUse.models().map(\.language)) }
    return (languages ?? []).sorted()
  }

  func descriptions() async -> [SpeechEngineDescription] {
    await look { all.map(describe) } ?? []
  }

  private func describe(_ engine: SpeechEngine) -> SpeechEngineDescription {
    let name = engine.name
    let isInUse = name == inUse.name
    // The two name the same things, each in its own module.
    let capabilities = Set(
      engine.capabilities.compactMap {
        SpeechEngineDescription.Capability(rawValue: $0.rawValue)
      })
    switch engine.availability() {
    case .ready:
      let models = engine.models().map {
        SpeechEngineDescription.Model(language: $0.language, location: $0.location)
      }
      return SpeechEngineDescription(
        name: name, models: models, isInUse: isInUse, capabilities: capabilities)
    case .unavailable(let error):
      return SpeechEngineDescription(
        name: name, models: [], obstacle: "\(error)", isInUse: isInUse, capabilities: capabilities)
    }
  }

  /// Nil where the system has no thread left, and for a caller that is cancelled.
  private func look<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value? {
    await DedicatedThread.run(
      name: "syrinx-engines", abandoned: nil, failed: { _ in nil }, body)
  }
}
