import Synchronization

/// The making of a context's value, which notices when a key has no value of its own for the
/// context.
final class Construction: Sendable {
  @TaskLocal private static var current: Construction?

  /// Whether the value that is being made goes into a cache.
  static var isRunning: Bool { current != nil }

  private let key: ObjectIdentifier
  private let usesLiveValue = Atomic(false)

  private init(key: ObjectIdentifier) {
    self.key = key
  }

  static func value<Key: TestDependencyKey>(
    of key: Key.Type, in context: DependencyContext
  ) -> CachedValue<Key.Value> {
    switch context {
    case .live: liveValue(of: key)
    case .preview: CachedValue(key.previewValue, key: ObjectIdentifier(key), gap: nil)
    case .test: testValue(of: key)
    }
  }

  /// Called by the `testValue` that keys with a live value have by default.
  static func noteLiveValueInTest(of key: (some DependencyKey).Type) {
    if let current, current.key == ObjectIdentifier(key) {
      current.usesLiveValue.store(true, ordering: .relaxed)
    } else {
      reportIssue("'\(key)' has no 'testValue' of its own: its live value is used.")
    }
  }

  private static func liveValue<Key: TestDependencyKey>(
    of key: Key.Type
  ) -> CachedValue<Key.Value> {
    let id = ObjectIdentifier(key)
    if let value = (key as? any DependencyKey.Type)?.liveValue as? Key.Value {
      return CachedValue(value, key: id, gap: nil)
    }
    let gap: Gap? = key.shouldReportUnimplemented ? .liveValue : nil
    return CachedValue(key.testValue, key: id, gap: gap)
  }

  private static func testValue<Key: TestDependencyKey>(
    of key: Key.Type
  ) -> CachedValue<Key.Value> {
    let construction = Construction(key: ObjectIdentifier(key))
    let value = $current.withValue(construction) { key.testValue }
    let usesLiveValue = construction.usesLiveValue.load(ordering: .relaxed)
    return CachedValue(value, key: construction.key, gap: usesLiveValue ? .testValue : nil)
  }
}
