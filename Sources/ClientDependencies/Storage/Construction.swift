#if !PointFreeDependencies
import Synchronization

/// The making of a context's value: which making it is part of, and what the key lacks.
///
/// Tasks inherit it, so that a value which is made with the help of child tasks is still known to
/// be part of what waits for them. No lock is held while a value is made.
final class Construction: Sendable {
  @TaskLocal static var current: Construction?

  /// Whether the value that is being made goes into a cache.
  static var isRunning: Bool { current != nil }

  let key: any TestDependencyKey.Type
  let context: DependencyContext
  let location: SourceLocation
  private let outer: Construction?
  private let lacksTestValue = Atomic(false)
  // A task that was started meanwhile may still inherit the making of a value that is made.
  private let isOver = Atomic(false)

  private init(
    of key: any TestDependencyKey.Type, in context: DependencyContext,
    readAt location: SourceLocation
  ) {
    self.key = key
    self.context = context
    self.location = location
    outer = Self.current
  }

  /// Makes a value; where that is being done already, another context's value breaks the cycle.
  ///
  /// Such a value is reported and not kept: whoever reads the key later gets the one of
  /// its context.
  static func value<Key: TestDependencyKey>(
    of key: Key.Type, in context: DependencyContext, for purpose: DependencyValues.Purpose,
    readAt location: SourceLocation
  ) -> Construction.Result<Key.Value> {
    guard let cycle = ConstructionCycle(of: key, in: context, readAt: location) else {
      return Result(value: make(key, in: context, for: purpose, readAt: location), isKept: true)
    }
    cycle.report()
    guard let substitute = cycle.substitute else { cycle.stop() }
    return Result(value: make(key, in: substitute, for: purpose, readAt: location), isKept: false)
  }

  struct Result<Value: Sendable> {
    var value: CachedValue<Value>
    var isKept: Bool
  }

  private static func make<Key: TestDependencyKey>(
    _ key: Key.Type, in context: DependencyContext, for purpose: DependencyValues.Purpose,
    readAt location: SourceLocation
  ) -> CachedValue<Key.Value> {
    let construction = Construction(of: key, in: context, readAt: location)
    defer { construction.isOver.store(true, ordering: .releasing) }
    let (value, gap) = $current.withValue(construction) {
      DependencyValues.$_current.withValue(.current(for: purpose)) { construction.evaluate(key) }
    }
    return CachedValue(
      value, key: ObjectIdentifier(key), gap: gap, source: .context(firstReadAt: location))
  }

  private func evaluate<Key: TestDependencyKey>(_ key: Key.Type) -> (Key.Value, Gap?) {
    switch context {
    case .live:
      // Step by step: one chain would take a missing live value for an optional value's nil.
      if let liveKey = key as? any DependencyKey.Type,
        let value = liveKey.liveValue as? Key.Value
      {
        return (value, nil)
      }
      return (key.testValue, lacksLiveValue(key) ? .liveValue : nil)
    case .preview: return (key.previewValue, nil)
    case .test:
      let value = key.testValue
      return (value, lacksTestValue.load(ordering: .relaxed) ? .testValue : nil)
    }
  }

  /// Whether readers hear that the live value is missing: an update closure does not, but the value
  /// that it made is there for others.
  private func lacksLiveValue(_ key: (some TestDependencyKey).Type) -> Bool {
    DependencyValues.$_current.withValue(.current(for: .use)) { key.shouldReportUnimplemented }
  }
}

extension Construction {
  /// The makings that the current task is part of, the innermost first.
  static var running: [Construction] {
    sequence(first: current, next: { $0?.outer }).prefix { $0 != nil }.compactMap { $0 }
      .filter { !$0.isOver.load(ordering: .acquiring) }
  }

  func isOf(_ key: any TestDependencyKey.Type) -> Bool {
    ObjectIdentifier(self.key) == ObjectIdentifier(key)
  }

  /// Called by the `testValue` that keys with a live value have by default.
  ///
  /// A key that is asked itself does not learn where; at best that is the read which makes another
  /// one's value.
  static func noteMissingTestValue(of key: (some DependencyKey).Type) {
    if let current, current.isOf(key) {
      current.lacksTestValue.store(true, ordering: .relaxed)
    } else if DependencyValues.current.isInUse {
      MissingValue(gap: .testValue, key: key, location: current?.location).report()
    }
  }

  /// Called where a key's live value is about to stand in for another one: it cannot while it is
  /// being made itself, and asking for a `static let` a second time would never return.
  static func noteLiveValue(of key: (some DependencyKey).Type) {
    guard let cycle = ConstructionCycle(of: key, in: .live, readAt: current?.location),
      let current, current.isOf(key), current.context != .live
    else { return }
    cycle.stop()
  }
}
#endif
