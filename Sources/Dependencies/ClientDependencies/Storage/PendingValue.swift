#if !PointFreeDependencies
import Dispatch

/// A value under construction.
///
/// Other readers of the same value wait for it.
///
/// No lock is held during construction. A task does not wait if the construction needs it: its
/// task-locals show that it constructs the value itself, or one that the construction waits for.
/// The construction may also block on a thread without these task-locals. That thread waits until a
/// timeout, then constructs the value too, and the first value is kept.
final class PendingValue: Sendable {
  /// Identifies a cached value.
  struct Slot: Hashable {
    var cache: ObjectIdentifier
    var test: RunningTest?
    var key: ObjectIdentifier
    var context: DependencyContext
  }

  @TaskLocal private static var current: PendingValue?
  // Held to look up and to insert, never during construction.
  private static let pending = Lock(PendingValues())

  private let outer = PendingValue.current
  private let end = DispatchGroup()

  init() {
    end.enter()
  }

  /// This construction and the outer ones of its task, which need it.
  var chain: [PendingValue] {
    Array(sequence(first: self) { $0.outer })
  }

  /// Constructs the value of a slot, or waits for another construction of it.
  ///
  /// - Parameter onTimeout: called after `timeout`, before `make`.
  /// - Returns: the result of `make`; nil if another construction has finished.
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

/// The values under construction in the process, and which of them wait for which.
struct PendingValues {
  enum Entrance {
    case first(PendingValue)
    case waits(for: PendingValue)
    case proceeds
  }

  private var values: [PendingValue.Slot: PendingValue] = [:]
  private var awaited: [ObjectIdentifier: [PendingValue]] = [:]

  /// - Parameter chain: the constructions of the current task.
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

  /// Whether a value is one of these, or waits for one of them directly or indirectly.
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
