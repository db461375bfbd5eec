import ClientDependencies
public import CustomDump
public import Observation

/// A value that several features share, so that each sees the others' changes.
///
/// ```swift
/// struct State: Equatable {
///   @Shared(.appStorage("volume")) var volume = 1.0
///   @Shared var memos: [Memo]
/// }
/// state.$volume.withLock { $0 = 0.5 }
/// ```
///
/// A value with a key is shared by all features that use the key, and is stored where the key says:
/// in memory, in the user defaults, or in a file. To share a value without a key, pass on `$memos`
/// or a part of it: `$memos[0]`, or `Shared($memos[id: id])` for an identified array.
///
/// In a ``TestStore``, the closure of `send` or `receive` asserts the change with `withLock`, too.
///
/// Thread safety: any thread may read or change the value at any time; the call may block.
@dynamicMemberLookup
@propertyWrapper
public struct Shared<Value>: @unchecked Sendable {
  // `@unchecked` is safe, because the functions use the value under its lock.
  let root: any SharedRoot
  let read: () -> Value
  private let change: (_ operation: (inout Value) -> Void) -> Void

  init(_ reference: SharedReference<Value>) {
    (root, read, change) = (reference, { reference.value }, reference.change)
  }

  private init(
    root: any SharedRoot, read: @escaping () -> Value,
    change: @escaping (_ operation: (inout Value) -> Void) -> Void
  ) {
    (self.root, self.read, self.change) = (root, read, change)
  }

  /// Shares a value without a key.
  public init(value: sending Value) {
    self.init(SharedReference(value: value))
  }

  /// Creates a shared value from a shared optional; returns nil if the optional is nil.
  ///
  /// If the optional later becomes nil, the new shared value keeps the last value, and changes to
  /// it no longer reach the optional.
  public init?(_ base: Shared<Value?>) {
    guard let last = base.read().map({ SharedReference(value: $0) }) else { return nil }
    self.init(
      root: base.root,
      read: {
        guard let value = base.read() else { return last.value }
        last.replace(by: value)
        return value
      },
      change: { operation in
        base.change { value in
          guard value != nil else { return last.change(operation) }
          operation(&value!)
          last.replace(by: value!)
        }
      })
  }

  /// Creates a reference to the same shared value.
  public init(projectedValue: Self) { self = projectedValue }

  /// The current value; `withLock` changes it.
  public var wrappedValue: Value {
    get { read() }
    @available(*, unavailable, message: "Change it with '$shared.withLock'.")
    nonmutating set { change { $0 = newValue } }
  }

  /// The shared value itself, to pass on and to change.
  public var projectedValue: Self {
    get { self }
    set { self = newValue }
  }

  /// Changes the value, and saves it to its key's storage.
  ///
  /// No other thread changes the value during the operation. The change takes effect at the end of
  /// the operation: until then, reading the value returns the old one. A value that cannot be saved
  /// is reported as an issue, and remains in memory.
  ///
  /// - Returns: the operation's result; rethrows its error after the change.
  public func withLock<Success, Failure: Error>(
    _ operation: (inout Value) throws(Failure) -> Success
  ) throws(Failure) -> Success {
    var result: Result<Success, Failure>?
    change { value in
      do throws(Failure) {
        result = .success(try operation(&value))
      } catch {
        result = .failure(error)
      }
    }
    // `result` is set, because `change` has called the operation.
    return try result!.get()
  }

  /// A part of the value, which is shared as well.
  public subscript<Part>(dynamicMember keyPath: WritableKeyPath<Value, Part>) -> Shared<Part> {
    Shared<Part>(
      root: root, read: { [read] in read()[keyPath: keyPath] },
      change: { [change] operation in change { operation(&$0[keyPath: keyPath]) } })
  }

  /// A read-only part of the value.
  public subscript<Part>(dynamicMember keyPath: KeyPath<Value, Part>) -> SharedReader<Part> {
    SharedReader(self)[dynamicMember: keyPath]
  }

  /// Returns a shared value that reads a part of this value; changing it has no effect.
  fileprivate func part<Part>(_ part: @escaping (Value) -> Part) -> Shared<Part> {
    Shared<Part>(root: root, read: { [read] in part(read()) }, change: { _ in })
  }

  /// Why the value could not be loaded; nil after it was loaded or saved.
  public var loadError: (any Error)? { root.errors.load }
  /// Why the value could not be saved; nil after it was saved.
  public var saveError: (any Error)? { root.errors.save }

  /// Loads the value again from its key's storage.
  public func load() async throws { try root.load() }
  /// Saves the value to its key's storage.
  public func save() async throws { try root.save() }
}

/// A read-only shared value.
@dynamicMemberLookup
@propertyWrapper
public struct SharedReader<Value>: Sendable {
  private let shared: Shared<Value>

  init(_ reference: SharedReference<Value>) { shared = Shared(reference) }

  /// Creates a read-only reference to a shared value.
  public init(_ shared: Shared<Value>) { self.shared = shared }

  /// Creates a reader of a value that never changes.
  public init(value: sending Value) { shared = Shared(value: value) }

  /// Creates a reader of the value of a shared optional; returns nil if the optional is nil.
  ///
  /// If the optional later becomes nil, the reader keeps the last value.
  public init?(_ base: SharedReader<Value?>) {
    guard let shared = Shared<Value>(base.shared) else { return nil }
    self.shared = shared
  }

  /// Creates a reference to the same shared value.
  public init(projectedValue: Self) { self = projectedValue }

  /// The current value.
  public var wrappedValue: Value { shared.read() }

  /// The shared value itself, to pass on.
  public var projectedValue: Self {
    get { self }
    set { self = newValue }
  }

  /// A part of the value.
  public subscript<Part>(dynamicMember keyPath: KeyPath<Value, Part>) -> SharedReader<Part> {
    SharedReader<Part>(shared.part { $0[keyPath: keyPath] })
  }

  /// Why the value could not be loaded; nil after it was loaded or saved.
  public var loadError: (any Error)? { shared.loadError }

  /// Loads the value again from its key's storage.
  public func load() async throws { try await shared.load() }
}

extension RangeReplaceableCollection {
  /// The elements of a shared array, each a shared value: `Array($memos)`.
  ///
  /// An element that is later removed from the array keeps the value that was last read or changed
  /// through it.
  public init<ID, Item>(_ array: Shared<IdentifiedArray<ID, Item>>)
  where Element == Shared<Item> {
    self.init(array.read().ids.compactMap { Shared(array[id: $0]) })
  }

  /// The elements of a read-only shared array.
  public init<ID, Item>(_ array: SharedReader<IdentifiedArray<ID, Item>>)
  where Element == SharedReader<Item> {
    self.init(array.wrappedValue.ids.compactMap { SharedReader(array[id: $0]) })
  }
}

extension Shared: Observable {}
extension SharedReader: Observable {}

extension Shared: Identifiable where Value: Identifiable {
  /// The ID of the value.
  public var id: Value.ID { read().id }
}

extension SharedReader: Identifiable where Value: Identifiable {
  /// The ID of the value.
  public var id: Value.ID { shared.id }
}

extension Shared: Equatable where Value: Equatable {
  /// Whether the values are equal.
  public static func == (shared: Self, other: Self) -> Bool {
    SharedChanges.areEqual(shared.root, shared.read, other.read)
  }
}

extension SharedReader: Equatable where Value: Equatable {}

extension Shared: CustomStringConvertible {
  /// The type, followed by the key if there is one, otherwise by the value.
  public var description: String {
    "Shared<\(Value.self)>(\(root.keyDescription ?? "value: \(read())"))"
  }
}

extension SharedReader: CustomStringConvertible {
  /// The type, followed by the key if there is one, otherwise by the value.
  public var description: String {
    "SharedReader<\(Value.self)>(\(shared.root.keyDescription ?? "value: \(shared.read())"))"
  }
}

extension Shared: CustomDumpRepresentable, _CustomDiffObject {
  /// Only the value, for the report of a failed test.
  public var customDumpValue: Any { read() }
  /// The expected and the actual value in an assertion.
  public var _customDiffValues: (Any, Any) { (read(), SharedChanges.actual(read)) }
  /// The identity of the shared value.
  public var _objectIdentifier: ObjectIdentifier { ObjectIdentifier(root) }
}

extension SharedReader: CustomDumpRepresentable {
  /// The underlying `Shared`, so that a failed test shows its value.
  public var customDumpValue: Any { shared }
}
