import ClientDependencies

/// A key of a read-only shared value: its identity, and where it is stored.
public protocol SharedReaderKey<Value>: Sendable {
  /// The type of the value.
  associatedtype Value: Sendable
  /// The type of the identity.
  associatedtype ID: Hashable = Self

  /// The identity: keys with equal identities share their value.
  var id: ID { get }

  /// Loads the value.
  ///
  /// - Parameter initialValue: the value to use if none is stored; an implementation may store it.
  ///   If it is nil, only a stored value is returned.
  /// - Returns: the value; nil if none is stored.
  func load(initialValue: Value?) throws -> Value?

  /// Starts watching for changes made outside the program's shared values.
  ///
  /// - Parameter changed: called after a change, on any thread, to load the value again.
  /// - Returns: a function that ends the watch; nil if changes cannot be watched.
  func subscribe(_ changed: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)?
}

/// A key of a shared value: its identity, and where it is stored.
public protocol SharedKey<Value>: SharedReaderKey {
  /// Saves the value; called after each change, before the next change.
  func save(_ value: Value) throws
}

extension SharedReaderKey {
  /// A key of this type with a default value.
  ///
  /// ```swift
  /// extension SharedKey where Self == AppStorageKey<Double>.Default {
  ///   static var volume: Self { Self[.appStorage("volume"), default: 1] }
  /// }
  /// @Shared(.volume) var volume
  /// ```
  public typealias Default = SharedKeyDefault<Self>

  /// Watches nothing, and returns nil.
  public func subscribe(_ changed: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)? {
    nil
  }
}

extension SharedReaderKey where ID == Self {
  /// The key itself.
  public var id: ID { self }
}

/// A key with a default value.
public struct SharedKeyDefault<Base: SharedReaderKey>: SharedReaderKey, CustomStringConvertible {
  let base: Base
  let defaultValue: @Sendable () -> Base.Value

  /// Creates a key with a default value.
  public static subscript(
    _ key: Base, default value: @autoclosure @escaping @Sendable () -> Base.Value
  ) -> Self {
    Self(base: key, defaultValue: value)
  }

  /// The default value.
  public var initialValue: Base.Value { defaultValue() }
  /// The identity of the base key.
  public var id: Base.ID { base.id }
  /// The description of the base key.
  public var description: String { "\(base)" }

  /// Loads the value.
  public func load(initialValue: Base.Value?) throws -> Base.Value? {
    try base.load(initialValue: initialValue)
  }

  /// Starts watching for changes; see `SharedReaderKey.subscribe(_:)`.
  public func subscribe(_ changed: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)? {
    base.subscribe(changed)
  }
}

extension SharedKeyDefault: SharedKey where Base: SharedKey {
  /// Saves the value.
  public func save(_ value: Base.Value) throws { try base.save(value) }
}

extension Shared {
  /// Shares the value of a key, with a default value.
  public init(wrappedValue: @autoclosure () -> Value, _ key: some SharedKey<Value>) {
    self.init(SharedReferences.reference(for: key, initial: wrappedValue))
  }

  /// Shares the optional value of a key.
  @_disfavoredOverload
  public init<Wrapped>(_ key: some SharedKey<Value>) where Value == Wrapped? {
    self.init(wrappedValue: nil, key)
  }

  /// Shares the value of a key that has a default value.
  public init(_ key: (some SharedKey<Value>).Default) {
    self.init(wrappedValue: key.initialValue, key)
  }

  /// Shares the value of a key, with a default value that replaces the key's own.
  @_disfavoredOverload
  public init(wrappedValue: @autoclosure () -> Value, _ key: (some SharedKey<Value>).Default) {
    self.init(SharedReferences.reference(for: key, initial: wrappedValue))
  }
}

extension SharedReader {
  /// Creates a reader of the value of a key, with a default value.
  public init(wrappedValue: @autoclosure () -> Value, _ key: some SharedReaderKey<Value>) {
    self.init(SharedReferences.reference(for: key, initial: wrappedValue))
  }

  /// Creates a reader of the value of a key, with a default value.
  @_disfavoredOverload
  public init(wrappedValue: @autoclosure () -> Value, _ key: some SharedKey<Value>) {
    self.init(SharedReferences.reference(for: key, initial: wrappedValue))
  }

  /// Creates a reader of the optional value of a key.
  @_disfavoredOverload
  public init<Wrapped>(_ key: some SharedReaderKey<Value>) where Value == Wrapped? {
    self.init(wrappedValue: nil, key)
  }

  /// Creates a reader of the value of a key that has a default value.
  public init(_ key: (some SharedReaderKey<Value>).Default) {
    self.init(SharedReferences.reference(for: key) { key.initialValue })
  }

  /// Creates a reader of the value of a key that has a default value.
  @_disfavoredOverload
  public init(_ key: (some SharedKey<Value>).Default) {
    self.init(SharedReferences.reference(for: key) { key.initialValue })
  }

  /// Creates a reader of the value of a key, with a default value that replaces the key's own.
  @_disfavoredOverload
  public init(
    wrappedValue: @autoclosure () -> Value, _ key: (some SharedReaderKey<Value>).Default
  ) {
    self.init(SharedReferences.reference(for: key, initial: wrappedValue))
  }

  /// Creates a reader of the value of a key, with a default value that replaces the key's own.
  @_disfavoredOverload
  public init(wrappedValue: @autoclosure () -> Value, _ key: (some SharedKey<Value>).Default) {
    self.init(SharedReferences.reference(for: key, initial: wrappedValue))
  }
}
