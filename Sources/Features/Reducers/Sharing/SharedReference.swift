import ClientDependencies
import Foundation
import Observation

/// A shared value of any type.
protocol SharedRoot: AnyObject, Sendable {
  /// The value in memory, even in an assertion.
  var anyValue: Any { get }
  var errors: (load: (any Error)?, save: (any Error)?) { get }
  /// The key; nil for a value without one.
  var keyDescription: String? { get }

  func load() throws
  func save() throws
}

/// The value that `Shared`s and `SharedReader`s refer to.
final class SharedReference<Value>: SharedRoot, Observable, @unchecked Sendable {
  // `@unchecked` is safe, because the variables are only used under the lock. It is recursive,
  // because an operation may read the value that it changes, and saving it may notify this object.
  private let lock = NSRecursiveLock()
  private var current: Value
  /// The value if none is stored; nil if it was not needed yet.
  private var initial: Value?
  private var lastErrors: (load: (any Error)?, save: (any Error)?) = (nil, nil)
  private var isSaving = false
  private var endSubscription: (@Sendable () -> Void)?
  let keyDescription: String?
  private let loadValue: () throws -> Value?
  private let saveValue: (Value) throws -> Void
  private let registrar = ObservationRegistrar()

  init(value: Value) {
    (current, initial, keyDescription) = (value, value, nil)
    (loadValue, saveValue) = ({ nil }, { _ in })
  }

  init<Key: SharedReaderKey<Value>>(_ key: Key, initial: () -> Value) {
    keyDescription = "\(key)"
    loadValue = { try key.load(initialValue: nil) }
    let storage = key as? any SharedKey<Value>
    saveValue = { try storage?.save($0) }
    do {
      if let stored = try key.load(initialValue: nil) {
        current = stored
      } else {
        let value = initial()
        (current, self.initial) = (value, value)
        current = try key.load(initialValue: value) ?? value
      }
    } catch {
      let value = self.initial ?? initial()
      (current, self.initial, lastErrors.load) = (value, value, error)
      reportIssue("\(key) could not be loaded: \(error)")
    }
    endSubscription = key.subscribe { [weak self] in try? self?.load() }
    // Only a value that is changed elsewhere may be removed.
    if endSubscription != nil, self.initial == nil { self.initial = initial() }
  }

  deinit { endSubscription?() }

  var errors: (load: (any Error)?, save: (any Error)?) { lock.withLock { lastErrors } }

  var anyValue: Any { lock.withLock { current } }

  /// The value; in an assertion, the expected or the actual one.
  var value: Value {
    if let (changes, isActual) = SharedChanges.asserted,
      let stated = changes.value(of: self, isActual: isActual), let value = stated as? Value
    {
      return value
    }
    registrar.access(self, keyPath: \.current)
    return lock.withLock { current }
  }

  /// Changes the value and saves it; in an assertion, changes the expected value.
  func change(_ operation: (inout Value) -> Void) {
    if let (changes, _) = SharedChanges.asserted {
      var expected = value
      operation(&expected)
      return changes.expect(expected, of: self)
    }
    let tracked = isTesting ? DependencyValues._current[SharedChanges.self] : nil
    registrar.withMutation(of: self, keyPath: \.current) {
      lock.withLock {
        tracked?.note(self, before: current)
        // A copy is changed, because the operation may read the value.
        var new = current
        operation(&new)
        current = new
        do {
          try save()
        } catch {
          reportIssue("\(keyDescription ?? "the shared value") could not be saved: \(error)")
        }
      }
    }
  }

  /// Replaces the value without notifying anybody; has no effect in an assertion.
  func replace(by value: Value) {
    if SharedChanges.asserted == nil { lock.withLock { current = value } }
  }

  func save() throws {
    try lock.withLock {
      isSaving = true
      defer { isSaving = false }
      do {
        try saveValue(current)
        lastErrors = (nil, nil)
      } catch {
        lastErrors.save = error
        throw error
      }
    }
  }

  func load() throws {
    let changed: Value? = try lock.withLock {
      guard !isSaving else { return nil }
      do {
        let stored = try loadValue() ?? initial
        lastErrors.load = nil
        return stored.flatMap { isEqual($0, current) ? nil : $0 }
      } catch {
        lastErrors.load = error
        throw error
      }
    }
    guard let changed else { return }
    registrar.withMutation(of: self, keyPath: \.current) { lock.withLock { current = changed } }
  }
}

/// Whether two values of the same type are equal; false if they cannot be compared.
func isEqual(_ value: Any, _ other: Any) -> Bool {
  func compare<Value: Equatable>(_ value: Value) -> Bool { other as? Value == value }
  guard let value = value as? any Equatable else { return false }
  return compare(value)
}

/// The shared values that have keys, each of them while a `Shared` refers to it.
///
/// They are a dependency, so that each test has its own.
final class SharedReferences: DependencyKey, Sendable {
  static var liveValue: SharedReferences { SharedReferences() }
  static var testValue: SharedReferences { SharedReferences() }

  private let references = LockIsolated<[[AnyHashable]: () -> AnyObject?]>([:])

  /// The current value of a key, which is loaded if nobody refers to it.
  static func reference<Key: SharedReaderKey>(
    for key: Key, initial: () -> Key.Value
  ) -> SharedReference<Key.Value> {
    let references = DependencyValues._current[SharedReferences.self].references
    let id: [AnyHashable] = [AnyHashable(key.id), AnyHashable(ObjectIdentifier(Key.Value.self))]
    let present = references.withValue { $0[id]?() as? SharedReference<Key.Value> }
    if let present { return present }
    // Made without the lock, because the initial value may contain shared values.
    let new = SharedReference(key, initial: initial)
    return references.withValue { all in
      if let present = all[id]?() as? SharedReference<Key.Value> { return present }
      if all.count.isMultiple(of: 64) { all = all.filter { $0.value() != nil } }
      all[id] = { [weak new] in new }
      return new
    }
  }
}
