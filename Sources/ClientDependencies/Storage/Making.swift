#if !PointFreeDependencies
import Dispatch
import Synchronization

/// A value that is being made, for which all wait that need the same one.
///
/// No lock is held meanwhile. Whoever is known to be needed by the making does not wait: its
/// task-locals show that it makes the value itself, or one that the making waits for. A thread may be
/// needed and not known to be, such as one that the making blocks on: it waits until its patience
/// ends, then makes the value as well, and the first one is kept.
final class Making: Sendable {
  /// Where a value is kept: each place has one.
  struct Place: Hashable {
    var cache: ObjectIdentifier
    var test: RunningTest?
    var key: ObjectIdentifier
    var context: DependencyContext
  }

  @TaskLocal private static var current: Making?
  // Held to look up and to file, never while a value is made.
  private static let underway = Lock(MakingsUnderway())

  private let outer = Making.current
  private let end = DispatchGroup()

  init() {
    end.enter()
  }

  /// This making and those that the current task was doing before, which need it.
  var chain: [Making] {
    Array(sequence(first: self) { $0.outer })
  }

  /// Makes the value of a place, or waits for whoever is making it.
  ///
  /// - Parameter giveUp: called where the wait lasted as long as `patience`, before `make` is.
  /// - Returns: what `make` returns; nil where the value was made meanwhile.
  static func perform<Value>(
    at place: Place, patience: Duration, _ make: () -> Value, giveUp: () -> Void
  ) -> Value? {
    let chain = current?.chain ?? []
    switch underway.withLock({ $0.enter(place, from: chain) }) {
    case .first(let making):
      defer {
        underway.withLock { $0.leave(place) }
        making.end.leave()
      }
      return $current.withValue(making, operation: make)
    case .waits(for: let making):
      let end = making.end.wait(timeout: .now() + patience / .seconds(1))
      underway.withLock { $0.endWait(for: making, from: chain) }
      if end == .success { return nil }
      giveUp()
      return make()
    case .goesOn:
      return make()
    }
  }
}

/// The issue of a value that takes so long to make that a reader makes it as well.
struct LateValue {
  var key: any TestDependencyKey.Type
  var patience: Duration
  var location: SourceLocation

  func report(from origin: IssueOrigin) {
    origin.or(.current).reportIssue(
      """
      The value of '\(key)' is made a second time: another thread has been making it for \(patience), and may be \
      waiting for this one. Make the value without waiting for other threads.
      """,
      fileID: location.fileID, filePath: location.filePath, line: location.line,
      column: location.column)
  }
}

/// What is being made in the process, and which makings wait for which.
struct MakingsUnderway {
  enum Entrance {
    case first(Making)
    case waits(for: Making)
    case goesOn
  }

  private var makings: [Making.Place: Making] = [:]
  private var awaited: [ObjectIdentifier: [Making]] = [:]

  /// - Parameter chain: what the current task is making.
  mutating func enter(_ place: Making.Place, from chain: [Making]) -> Entrance {
    guard let making = makings[place] else {
      let making = Making()
      makings[place] = making
      return .first(making)
    }
    if needs(making, anyOf: chain) { return .goesOn }
    for waiting in chain { awaited[ObjectIdentifier(waiting), default: []].append(making) }
    return .waits(for: making)
  }

  mutating func leave(_ place: Making.Place) {
    makings[place] = nil
  }

  mutating func endWait(for making: Making, from chain: [Making]) {
    for waiting in chain {
      let id = ObjectIdentifier(waiting)
      guard let index = awaited[id]?.firstIndex(where: { $0 === making }) else { continue }
      awaited[id]?.remove(at: index)
      if awaited[id]?.isEmpty == true { awaited[id] = nil }
    }
  }

  /// Whether a making is one of these, or waits for one, directly or through others.
  private func needs(_ making: Making, anyOf chain: [Making]) -> Bool {
    var seen: Set<ObjectIdentifier> = []
    var open = [making]
    while let next = open.popLast() {
      if chain.contains(where: { $0 === next }) { return true }
      guard seen.insert(ObjectIdentifier(next)).inserted else { continue }
      open += awaited[ObjectIdentifier(next)] ?? []
    }
    return false
  }
}

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
