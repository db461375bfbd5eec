import ClientDependencies

/// Where a shared value is kept, for values that are only read.
public protocol SharedReaderKey<Value>: Sendable {
  /// The type of the value.
  associatedtype Value: Sendable
  /// The type of the identity.
  associatedtype ID: Hashable = Self

  /// The identity: keys with equal identities share their value.
  var id: ID { get }

  /// Loads the value.
  ///
  /// - Parameter initialValue: the value for a feature if none is stored, which may be stored now;
  ///   nil if only a stored value is asked for.
  /// - Returns: the value; nil if none is stored.
  func load(initialValue: Value?) throws -> Value?

  /// Starts watching for changes that others make.
  ///
  /// - Parameter changed: to call after a change, on any thread; the value is then loaded.
  /// - Returns: a function that ends it; nil if changes cannot be watched.
  func subscribe(_ changed: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)?
}

/// Where a shared value is kept.
public protocol SharedKey<Value>: SharedReaderKey {
  /// Saves the value; called after each change, before another change.
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

  /// Changes of others are not watched.
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

  /// Gives a key a default value.
  public static subscript(
    _ key: Base, default value: @autoclosure @escaping @Sendable () -> Base.Value
  ) -> Self {
    Self(base: key, defaultValue: value)
  }

  /// The default value.
  public var initialValue: Base.Value { defaultValue() }
  /// The identity of the key without a default value.
  public var id: Base.ID { base.id }
  /// The description of the key without a default value.
  public var description: String { "\(base)" }

  /// Loads the value.
  public func load(initialValue: Base.Value?) throws -> Base.Value? {
    try base.load(initialValue: initialValue)
  }

  /// Starts watching for changes that others make.
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

  /// Shares the value of a key with another default value.
  @_disfavoredOverload
  public init(wrappedValue: @autoclosure () -> Value, _ key: (some SharedKey<Value>).Default) {
    self.init(SharedReferences.reference(for: key, initial: wrappedValue))
  }
}

extension SharedReader {
  /// Reads the value of a key, with a default value.
  public init(wrappedValue: @autoclosure () -> Value, _ key: some SharedReaderKey<Value>) {
    self.init(SharedReferences.reference(for: key, initial: wrappedValue))
  }

  /// Reads the value of a key, with a default value.
  @_disfavoredOverload
  public init(wrappedValue: @autoclosure () -> Value, _ key: some SharedKey<Value>) {
    self.init(SharedReferences.reference(for: key, initial: wrappedValue))
  }

  /// Reads the optional value of a key.
  @_disfavoredOverload
  public init<Wrapped>(_ key: some SharedReaderKey<Value>) where Value == Wrapped? {
    self.init(wrappedValue: nil, key)
  }

  /// Reads the value of a key that has a default value.
  public init(_ key: (some SharedReaderKey<Value>).Default) {
    self.init(SharedReferences.reference(for: key) { key.initialValue })
  }

  /// Reads the value of a key that has a default value.
  @_disfavoredOverload
  public init(_ key: (some SharedKey<Value>).Default) {
    self.init(SharedReferences.reference(for: key) { key.initialValue })
  }

  /// Reads the value of a key with another default value.
  @_disfavoredOverload
  public init(
    wrappedValue: @autoclosure () -> Value, _ key: (some SharedReaderKey<Value>).Default
  ) {
    self.init(SharedReferences.reference(for: key, initial: wrappedValue))
  }

  /// Reads the value of a key with another default value.
  @_disfavoredOverload
  public init(wrappedValue: @autoclosure () -> Value, _ key: (some SharedKey<Value>).Default) {
    self.init(SharedReferences.reference(for: key, initial: wrappedValue))
  }
}
