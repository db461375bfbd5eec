#if !PointFreeDependencies
import Dispatch
import Synchronization

/// The construction of a value for the cache.
///
/// Child tasks inherit the current construction, so a construction that a child task begins is
/// nested in it. No lock is held during construction.
final class Construction: Sendable {
  @TaskLocal static var current: Construction?

  /// Whether the current task is constructing a value for the cache.
  static var isRunning: Bool { current != nil }

  let key: any TestDependencyKey.Type
  let context: DependencyContext
  let location: SourceLocation
  private let outer: Construction?
  private let lacksTestValue = Atomic(false)
  // Set at the end of the construction, because a task that started during it may still inherit
  // this object.
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

  /// Makes the value of a key in a context.
  ///
  /// If this task is already constructing the same value, that is a cycle, and the value of another
  /// context is returned instead.
  ///
  /// The cycle is reported, and the substitute is not cached, so later readers get the value of
  /// their own context.
  static func value<Key: TestDependencyKey>(
    of key: Key.Type, in context: DependencyContext, for purpose: DependencyValues.Purpose,
    readAt location: SourceLocation
  ) -> (value: CachedValue<Key.Value>, isKept: Bool) {
    guard let cycle = ConstructionCycle(of: key, in: context, readAt: location) else {
      return (make(key, in: context, for: purpose, readAt: location), isKept: true)
    }
    cycle.report()
    guard let substitute = cycle.substitute else { cycle.stop() }
    return (make(key, in: substitute, for: purpose, readAt: location), isKept: false)
  }

  private static func make<Key: TestDependencyKey>(
    _ key: Key.Type, in context: DependencyContext, for purpose: DependencyValues.Purpose,
    readAt location: SourceLocation
  ) -> CachedValue<Key.Value> {
    let construction = Construction(of: key, in: context, readAt: location)
    defer { construction.isOver.store(true, ordering: .releasing) }
    let (value, gap) = $current.withValue(construction) {
      let values = DependencyValues(
        scope: DependencyValues._current.scope.forConstruction, purpose: purpose)
      return DependencyValues.$_current.withValue(values) { construction.evaluate(key) }
    }
    return CachedValue(value, gap: gap, source: .context(firstReadAt: location))
  }

  private func evaluate<Key: TestDependencyKey>(_ key: Key.Type) -> (Key.Value, MissingValueKind?) {
    switch context {
    case .live:
      // Two casts, because in a single optional chain, a missing live value would look like a live
      // value of nil.
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

  /// Whether to report that the key has no live value.
  ///
  /// The result does not depend on an enclosing update closure, because the value is cached for
  /// later readers.
  private func lacksLiveValue(_ key: (some TestDependencyKey).Type) -> Bool {
    DependencyValues.$_current.withValue(.current(for: .use)) { key.shouldReportUnimplemented }
  }
}

extension Construction {
  /// The constructions of the current task, the innermost first.
  static var running: [Construction] {
    sequence(first: current, next: { $0?.outer }).prefix { $0 != nil }.compactMap { $0 }
      .filter { !$0.isOver.load(ordering: .acquiring) }
  }

  func isOf(_ key: any TestDependencyKey.Type) -> Bool {
    ObjectIdentifier(self.key) == ObjectIdentifier(key)
  }

  /// Records a missing test value; called by the default `testValue` of a key with a live value.
  ///
  /// If code reads `Key.testValue` directly, the issue has the location of the enclosing
  /// construction, if there is one.
  static func noteMissingTestValue(of key: (some DependencyKey).Type) {
    if let current, current.isOf(key) {
      current.lacksTestValue.store(true, ordering: .relaxed)
    } else if DependencyValues._current.isInUse {
      MissingValue(gap: .testValue, key: key, location: current?.location).report()
    }
  }

  /// Ends the process if a key's live value would be used during its own construction, because a
  /// second access to its `static let` would never return.
  static func noteLiveValue(of key: (some DependencyKey).Type) {
    guard let cycle = ConstructionCycle(of: key, in: .live, readAt: current?.location),
      let current, current.isOf(key), current.context != .live
    else { return }
    cycle.stop()
  }
}

/// A key whose value is read during its own construction.
struct ConstructionCycle {
  private let key: any TestDependencyKey.Type
  private let location: SourceLocation?
  /// The nested constructions of the cycle, from that of `key` to the innermost.
  private let members: [Construction]
  private let contexts: Set<DependencyContext>

  /// Finds the cycle; returns nil if the current task is not constructing the key's value in this
  /// context.
  init?(
    of key: any TestDependencyKey.Type, in context: DependencyContext,
    readAt location: SourceLocation?
  ) {
    let running = Construction.running
    guard let first = running.lastIndex(where: { $0.isOf(key) && $0.context == context }) else {
      return nil
    }
    self.key = key
    self.location = location
    members = running[...first].reversed()
    contexts = Set(running.filter { $0.isOf(key) }.map(\.context))
  }

  /// The context whose value breaks the cycle: the first one for which no value of `key` is under
  /// construction.
  var substitute: DependencyContext? {
    [.test, .preview, .live].first { !contexts.contains($0) }
  }

  func report() {
    guard let location else { return }
    IssueOrigin.current.reportIssue(
      """
      The value of a dependency needs itself: \(names)

      \(path)

      \(remedy)
      """, at: location)
  }

  /// Ends the process, because the key's value cannot be made.
  func stop() -> Never {
    preconditionFailure(
      """
      The value of a dependency needs itself, and no other value can stand in: \(names)

      \(path)

      \(advice)
      """)
  }

  private var names: String {
    (members.map(\.key) + [key]).map { "\($0)" }.joined(separator: " → ")
  }

  private var path: String {
    let reads = members.dropFirst().map { ($0.key, Optional($0.location)) } + [(key, location)]
    return reads.map { key, location in
      let place = location.map { "\($0.fileID):\($0.line)" } ?? "an unknown place"
      return "  \(String(reflecting: key)) is read at \(place)"
    }.joined(separator: "\n")
  }

  private var remedy: String {
    let standIn =
      substitute.map { "The \($0) value of '\(key)' stands in for this one read. " } ?? ""
    return standIn + advice
  }

  private var advice: String {
    """
    Read the dependency when an endpoint is called, not while the value is made: move '@Dependency' into the \
    endpoint's closure.
    """
  }
}

/// A value under construction.
///
/// Other readers of the same value wait for the end of the construction.
///
/// No lock is held during construction. A task must not wait for a construction that depends on the
/// task, such as its own; task-locals show such a dependency. On a thread without these
/// task-locals, a dependency is not visible. That thread waits until a timeout and then constructs
/// the value as well; the value that is ready first is kept.
final class PendingValue: Sendable {
  /// Identifies a cached value.
  struct Slot: Hashable {
    var cache: ObjectIdentifier
    var test: RunningTest?
    var key: ObjectIdentifier
    var context: DependencyContext
  }

  @TaskLocal private static var current: PendingValue?
  // The lock is held for a lookup or an insertion, never during construction.
  private static let pending = Lock(PendingValues())

  private let outer = PendingValue.current
  private let end = DispatchGroup()

  init() {
    end.enter()
  }

  /// This construction, then the outer constructions of the same task, which need this
  /// construction's value.
  var chain: [PendingValue] {
    Array(sequence(first: self) { $0.outer })
  }

  /// Constructs the value that `slot` identifies, or waits for another construction of that value.
  ///
  /// `onTimeout` is called after `timeout`, before `make`.
  ///
  /// - Returns: the result of `make`; nil if another construction has made the value.
  static func perform<Value>(
    in slot: Slot, timeout: Duration, _ make: () -> Value, onTimeout: () -> Void
  ) -> Value? {
    let chain = current?.chain ?? []
    switch pending.withLock({ $0.enter(slot, from: chain) }) {
    case .first(let value):
      defer {
        pending.withLock { $0.leave(slot) }
        value.end.leave()
      }
      return $current.withValue(value, operation: make)
    case .waits(for: let value):
      let end = value.end.wait(timeout: .now() + timeout / .seconds(1))
      pending.withLock { $0.endWait(for: value, from: chain) }
      if end == .success { return nil }
      onTimeout()
      return make()
    case .proceeds:
      return make()
    }
  }
}

/// The values under construction in the process, and the dependencies between them.
struct PendingValues {
  enum Entrance {
    case first(PendingValue)
    case waits(for: PendingValue)
    case proceeds
  }

  private var values: [PendingValue.Slot: PendingValue] = [:]
  private var awaited: [ObjectIdentifier: [PendingValue]] = [:]

  /// Returns whether the current task must construct the value of `slot`, or can wait for another
  /// construction of that value.
  ///
  /// `chain` contains the constructions of the current task.
  mutating func enter(_ slot: PendingValue.Slot, from chain: [PendingValue]) -> Entrance {
    guard let value = values[slot] else {
      let value = PendingValue()
      values[slot] = value
      return .first(value)
    }
    if needs(value, anyOf: chain) { return .proceeds }
    for waiting in chain { awaited[ObjectIdentifier(waiting), default: []].append(value) }
    return .waits(for: value)
  }

  mutating func leave(_ slot: PendingValue.Slot) {
    values[slot] = nil
  }

  mutating func endWait(for value: PendingValue, from chain: [PendingValue]) {
    for waiting in chain {
      let id = ObjectIdentifier(waiting)
      guard let index = awaited[id]?.firstIndex(where: { $0 === value }) else { continue }
      awaited[id]?.remove(at: index)
      if awaited[id]?.isEmpty == true { awaited[id] = nil }
    }
  }

  /// Whether a value is one of the given values, or waits for one of them directly or indirectly.
  private func needs(_ value: PendingValue, anyOf chain: [PendingValue]) -> Bool {
    var seen: Set<ObjectIdentifier> = []
    var open = [value]
    while let next = open.popLast() {
      if chain.contains(where: { $0 === next }) { return true }
      guard seen.insert(ObjectIdentifier(next)).inserted else { continue }
      open += awaited[ObjectIdentifier(next)] ?? []
    }
    return false
  }
}
#endif
