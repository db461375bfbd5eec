public import ClientDependencies

/// Keeps a shared value in memory until the program ends:
/// `@Shared(.inMemory("count")) var count = 0`.
public struct InMemoryKey<Value: Sendable>: SharedKey, CustomStringConvertible {
  private let name: String
  private let storage: InMemoryStorage

  fileprivate init(name: String) {
    @Dependency(\.defaultInMemoryStorage) var storage
    (self.name, self.storage) = (name, storage)
  }

  /// The name and the storage.
  public var id: [AnyHashableSendable] {
    [AnyHashableSendable("inMemory"), AnyHashableSendable(name), AnyHashableSendable(storage)]
  }

  /// The expression that creates the key.
  public var description: String { ".inMemory(\(String(reflecting: name)))" }

  /// Returns the stored value, or else stores and returns the initial value.
  public func load(initialValue: Value?) -> Value? {
    if let stored = storage.values.value[name] { return stored as? Value }
    if let initialValue { save(initialValue) }
    return initialValue
  }

  /// Stores the value.
  public func save(_ value: Value) { storage.values.withValue { $0[name] = value } }
}

extension SharedReaderKey {
  /// A key that keeps its value in memory until the program or the test ends.
  public static func inMemory<Value>(_ name: String) -> Self where Self == InMemoryKey<Value> {
    InMemoryKey(name: name)
  }
}

/// The values of keys that are kept in memory.
public struct InMemoryStorage: Hashable, Sendable, DependencyKey {
  /// The process's storage.
  public static var liveValue: InMemoryStorage { InMemoryStorage() }
  /// An empty storage for each test.
  public static var testValue: InMemoryStorage { InMemoryStorage() }

  let values = LockIsolated<[String: any Sendable]>([:])

  /// Creates an empty storage.
  public init() {}

  /// Whether both are the same storage.
  public static func == (storage: Self, other: Self) -> Bool { storage.values === other.values }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(values)) }
}

extension DependencyValues {
  /// Where `.inMemory` keeps its values; each test has its own.
  public var defaultInMemoryStorage: InMemoryStorage {
    get { self[InMemoryStorage.self] }
    set { self[InMemoryStorage.self] = newValue }
  }
}
