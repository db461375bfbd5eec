import ClientDependencies
import Foundation
import Observation

/// A shared value of any type.
protocol SharedRoot: AnyObject, Sendable {
  /// The actual value in memory, even in an assertion, where other reads return the expected value.
  var anyValue: Any { get }
  var errors: (load: (any Error)?, save: (any Error)?) { get }
  /// The description of the key; nil for a value without a key.
  var keyDescription: String? { get }

  func load() throws
  func save() throws
}

/// The value that `Shared`s and `SharedReader`s refer to.
final class SharedReference<Value>: SharedRoot, Observable, @unchecked Sendable {
  // `@unchecked` is safe, because the variables are only used under the locks.

  /// Held while the value is changed, saved, or read from its storage, so that only one of these
  /// happens at a time.
  ///
  /// It is recursive, because an operation may use the value that it changes, and saving the value
  /// may notify this object.
  private let changeLock = NSRecursiveLock()
  /// The value to use if none is stored; nil until it is needed.
  private var initial: Value?
  private var isSaving = false

  /// Held for each single read or write of the variables below.
  private let lock = NSLock()
  private var current: Value
  /// Incremented by each change, save, and load.
  ///
  /// A loaded value is discarded if a later change, save, or load has begun.
  private var revision = 0
  /// Whether the value in the storage may have changed since it was loaded.
  private var isStale = false
  private var lastErrors: (load: (any Error)?, save: (any Error)?) = (nil, nil)

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
    endSubscription = key.subscribe { [weak self] in self?.noticeChange() }
    // If the key reports changes by other code, that code may also remove the stored value. The
    // value then becomes `initial`.
    if endSubscription != nil, self.initial == nil {
      let value = initial()
      // Lock, because another thread may already be loading the value.
      changeLock.withLock { self.initial = value }
    }
  }

  deinit { endSubscription?() }

  var errors: (load: (any Error)?, save: (any Error)?) { lock.withLock { lastErrors } }

  /// The value; waits for a change that another thread has begun.
  var anyValue: Any { changeLock.withLock { lock.withLock { current } } }

  /// The value; in an assertion, the expected value, or the actual value if `isActual` is true.
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
    let tracked = SharedChanges.current
    do {
      // The observers run outside the locks, so that they can read the value.
      try registrar.withMutation(of: self, keyPath: \.current) {
        try changeLock.withLock {
          // The operation changes a copy, because it may also read the value.
          var new = nextRevision()
          tracked?.note(self, before: new)
          operation(&new)
          lock.withLock { swap(&current, &new) }
          try write()
        }
      }
    } catch {
      reportIssue("\(keyDescription ?? "the shared value") could not be saved: \(error)")
    }
    loadIfStale()
  }

  /// Begins a new revision, and returns the current value.
  private func nextRevision() -> Value {
    lock.withLock {
      revision += 1
      return current
    }
  }

  /// Replaces the value without notifying observers; has no effect in an assertion.
  func replace(by value: Value) {
    guard SharedChanges.asserted == nil else { return }
    var new = value
    changeLock.withLock { lock.withLock { swap(&current, &new) } }
  }

  func save() throws {
    defer { loadIfStale() }
    try changeLock.withLock { try write() }
  }

  /// Saves the value under the change lock.
  private func write() throws {
    let outer = isSaving
    isSaving = true
    defer { isSaving = outer }
    do {
      try saveValue(nextRevision())
      lock.withLock { lastErrors = (nil, nil) }
    } catch {
      lock.withLock { lastErrors.save = error }
      throw error
    }
  }

  func load() throws { assign(try changeLock.withLock { try read() }) }

  /// Loads the value after a change in its storage.
  private func noticeChange() {
    if changeLock.try() {
      defer { changeLock.unlock() }
      // This thread is saving the value, so the save itself caused the notification.
      if isSaving { return }
    }
    lock.withLock { isStale = true }
    loadIfStale()
  }

  /// Loads the value if it is stale and no other thread is changing it.
  ///
  /// A thread that is changing the value loads it afterward. This method does not wait for that
  /// thread, which may itself wait for a change that this thread makes.
  private func loadIfStale() {
    while lock.withLock({ isStale }), changeLock.try() {
      let isNested = isSaving
      let loaded = try? read()
      changeLock.unlock()
      if isNested { return }
      assign(loaded)
    }
  }

  private typealias Loaded = (value: Value, revision: Int)

  /// Reads the stored value under the change lock; nil if it equals the current value.
  private func read() throws -> Loaded? {
    guard !isSaving else { return nil }
    let (before, seen) = lock.withLock {
      isStale = false
      revision += 1
      return (current, revision)
    }
    do {
      let stored = try loadValue() ?? initial
      lock.withLock { lastErrors.load = nil }
      return stored.flatMap { isEqual($0, before) ? nil : ($0, seen) }
    } catch {
      lock.withLock { lastErrors.load = error }
      throw error
    }
  }

  /// Replaces the value with a loaded value, unless the loaded value is outdated.
  private func assign(_ loaded: Loaded?) {
    guard let loaded else { return }
    var value = loaded.value
    registrar.withMutation(of: self, keyPath: \.current) {
      lock.withLock { if revision == loaded.revision { swap(&current, &value) } }
    }
  }
}

/// Whether two values of the same type are equal; false if they cannot be compared.
func isEqual(_ value: Any, _ other: Any) -> Bool {
  func compare<Value: Equatable>(_ value: Value) -> Bool { other as? Value == value }
  guard let value = value as? any Equatable else { return false }
  return compare(value)
}

/// The shared values that have keys; each is kept as long as a `Shared` refers to it.
///
/// They are a dependency, so that each test has its own.
final class SharedReferences: DependencyKey, Sendable {
  static var liveValue: SharedReferences { SharedReferences() }
  static var testValue: SharedReferences { SharedReferences() }

  private let references = LockIsolated<[[AnyHashable]: () -> AnyObject?]>([:])

  /// Returns the reference of a key; creates a reference, which loads the value, if there is none.
  static func reference<Key: SharedReaderKey>(
    for key: Key, initial: () -> Key.Value
  ) -> SharedReference<Key.Value> {
    let references = DependencyValues._current[SharedReferences.self].references
    let id: [AnyHashable] = [AnyHashable(key.id), AnyHashable(ObjectIdentifier(Key.Value.self))]
    let present = references.withValue { $0[id]?() as? SharedReference<Key.Value> }
    if let present { return present }
    // This is created outside the lock, because the initial value may itself contain shared values.
    let new = SharedReference(key, initial: initial)
    return references.withValue { all in
      if let present = all[id]?() as? SharedReference<Key.Value> { return present }
      if all.count.isMultiple(of: 64) { all = all.filter { $0.value() != nil } }
      all[id] = { [weak new] in new }
      return new
    }
  }
}
