import ClientDependencies
import CustomDump

/// Changes of shared values: all changes that a test store has not asserted yet, or the changes of
/// one action.
///
/// A reducer and its effects record their changes in the `SharedChanges` of their dependencies.
final class SharedChanges: DependencyKey, Sendable {
  static var liveValue: SharedChanges? { nil }
  static var testValue: SharedChanges? { nil }

  /// The changes that the current assertion checks; nil outside assertions.
  ///
  /// If `isActual` is true, a shared value returns its actual instead of its expected value.
  @TaskLocal static var asserted: (changes: SharedChanges, isActual: Bool)?

  private typealias Changes = [ObjectIdentifier: (
    root: any SharedRoot, expected: Any, actual: Any
  )]
  private let changes: LockIsolated<Changes>
  /// The shared values that the assertion has compared as parts of the state.
  private let compared = LockIsolated<Set<ObjectIdentifier>>([])
  /// Another object that records the same changes, if there is one.
  private let outer: SharedChanges?

  init(outer: SharedChanges? = nil) { (changes, self.outer) = (LockIsolated([:]), outer) }

  private init(_ changes: Changes) {
    nonisolated(unsafe) let changes = changes
    (self.changes, outer) = (LockIsolated(changes), nil)
  }

  /// The object in the current dependencies that records changes; nil if there is none.
  static var current: SharedChanges? { DependencyValues._current[SharedChanges.self] }

  /// Runs an operation, and returns its result and its changes of shared values.
  static func track<Success>(_ operation: () -> Success) -> (Success, SharedChanges) {
    let changes = SharedChanges(outer: current)
    let success = withDependencies {
      $0[SharedChanges.self] = changes
    } operation: {
      operation()
    }
    return (success, changes.take())
  }

  var isEmpty: Bool { changes.withValue { $0.isEmpty } }

  /// Records that a value changes; `before` is kept only for the first change.
  func note(_ root: any SharedRoot, before: Any) {
    changes.withValue { changes in
      let id = ObjectIdentifier(root)
      if changes[id] == nil { changes[id] = (root, before, before) }
    }
    outer?.note(root, before: before)
  }

  /// Removes and returns the recorded changes.
  func take() -> SharedChanges {
    nonisolated(unsafe) var taken: Changes = [:]
    changes.withValue { swap(&$0, &taken) }
    // The values are read outside this lock, because a changing value holds its own lock while it
    // records the change here.
    return SharedChanges(taken.mapValues { ($0.root, $0.expected, $0.root.anyValue) })
  }

  /// Sets the expected values to the actual values, for tests that assert only some changes.
  func expectActual() {
    changes.withValue { $0 = $0.mapValues { ($0.root, $0.actual, $0.actual) } }
  }

  /// Runs an assertion, in which shared values have their expected values.
  func assert<Success>(_ assertion: () -> Success) -> Success {
    Self.$asserted.withValue((self, false), operation: assertion)
  }

  /// The expected or the actual value; nil if the value has not changed.
  func value(of root: any SharedRoot, isActual: Bool) -> Any? {
    nonisolated(unsafe) var value: Any?
    changes.withValue { changes in
      value = changes[ObjectIdentifier(root)].map { isActual ? $0.actual : $0.expected }
    }
    return value
  }

  /// Sets the expected value of a shared value.
  func expect(_ expected: Any, of root: any SharedRoot) {
    let actual = value(of: root, isActual: true) ?? root.anyValue
    changes.withValue { $0[ObjectIdentifier(root)] = (root, expected, actual) }
  }

  /// The differences between expected and actual shared values, except for values that are part of
  /// the compared states.
  var unstated: [String] {
    let compared = compared.value
    nonisolated(unsafe) var rest: Changes = [:]
    changes.withValue { rest = $0.filter { !compared.contains($0.key) } }
    return rest.values.compactMap { root, expected, actual in
      guard expected is any Equatable, !isEqual(expected, actual) else { return nil }
      let difference = diff(expected, actual, format: .proportional) ?? "\(expected) → \(actual)"
      return "\(root.keyDescription ?? "a shared value"):\n\(difference)"
    }
  }

  /// Reads a shared value; in an assertion, reads its actual instead of its expected value.
  static func actual<Value>(_ read: () -> Value) -> Value {
    guard let asserted else { return read() }
    return $asserted.withValue((asserted.changes, true), operation: read)
  }

  /// Whether two values are equal; in an assertion, the first is expected and the second actual.
  static func areEqual<Value: Equatable>(
    _ root: any SharedRoot, _ read: () -> Value, _ readOther: () -> Value
  ) -> Bool {
    _ = asserted?.changes.compared.withValue { $0.insert(ObjectIdentifier(root)) }
    return read() == actual(readOther)
  }
}
