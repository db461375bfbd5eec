#if !PointFreeDependencies
import Dispatch

/// A value that is being made, for which the tasks wait that need the same one.
///
/// A thread without a task does not wait, because the making may be waiting for that thread; nor
/// does the main queue, for the same reason, nor a task whose wait would close a ring. They make
/// the value as well, and the first is kept. So does a task that has waited for a second: what it
/// waits for may need its thread, which nothing else could tell.
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

  private static let onMainQueue: DispatchSpecificKey<Void> = {
    let key = DispatchSpecificKey<Void>()
    DispatchQueue.main.setSpecific(key: key, value: ())
    return key
  }()

  /// Whether the making of a value cannot be known to need what runs here.
  static var canWait: Bool {
    withUnsafeCurrentTask { $0 != nil } && DispatchQueue.getSpecific(key: onMainQueue) == nil
  }

  private let outer = Making.current
  private let end = DispatchGroup()

  init() {
    end.enter()
  }

  /// This making and those that the current task was doing before, which need it.
  var chain: [Making] {
    Array(sequence(first: self) { $0.outer })
  }

  /// Makes the value of a place, or waits for the task that is making it.
  ///
  /// - Returns: what `make` returns; nil where the other task has made it meanwhile.
  static func perform<Value>(at place: Place, _ make: () -> Value) -> Value? {
    let chain = current?.chain ?? []
    switch underway.withLock({ $0.enter(place, from: chain) }) {
    case .first(let making):
      defer {
        underway.withLock { $0.leave(place) }
        making.end.leave()
      }
      return $current.withValue(making, operation: make)
    case .waits(for: let making):
      let end = making.end.wait(timeout: .now() + .seconds(1))
      underway.withLock { $0.endWait(for: making, from: chain) }
      return end == .success ? nil : make()
    case .goesOn:
      return make()
    }
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
    guard Making.canWait, !needs(making, anyOf: chain) else { return .goesOn }
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
#endif
