import Synchronization

/// The values of all dependencies.
public struct DependencyValues: Sendable {
  /// The values of the current task.
  @TaskLocal public static var _current = DependencyValues()

  private var overrides: [ObjectIdentifier: any Sendable]

  private init(overrides: [ObjectIdentifier: any Sendable]) { self.overrides = overrides }

  /// Values without overrides.
  public init() { overrides = [:] }

  /// The value of a key.
  public subscript<Key: TestDependencyKey>(
    key: Key.Type,
    fileID fileID: StaticString = #fileID,
    filePath filePath: StaticString = #filePath,
    line line: UInt = #line,
    column column: UInt = #column,
    function function: StaticString = #function
  ) -> Key.Value {
    get { overrides[ObjectIdentifier(key)] as? Key.Value ?? Cache.value(of: key, in: context) }
    set { overrides[ObjectIdentifier(key)] = newValue }
  }

  /// The context whose values are used where there is no override.
  public var context: DependencyContext {
    get { overrides[Self.contextID] as? DependencyContext ?? (isTesting ? .test : .live) }
    set { overrides[Self.contextID] = newValue }
  }

  private static var contextID: ObjectIdentifier { ObjectIdentifier(DependencyContext.self) }

  /// The live context.
  public static var live: Self { inContext(.live) }
  /// The preview context.
  public static var preview: Self { inContext(.preview) }
  /// The test context.
  public static var test: Self { inContext(.test) }

  private static func inContext(_ context: DependencyContext) -> Self {
    Self(overrides: [contextID: context])
  }

  func merging(_ other: Self) -> Self {
    Self(overrides: overrides.merging(other.overrides) { $1 })
  }
}

/// The context that selects one of a key's values.
public enum DependencyContext: String, Sendable {
  /// The running program.
  case live
  /// A preview.
  case preview
  /// A test.
  case test
}

private enum Cache {
  private struct Entry: Hashable {
    var key: ObjectIdentifier
    var context: DependencyContext
  }

  private static let values = Mutex<[Entry: any Sendable]>([:])

  static func value<Key: TestDependencyKey>(
    of key: Key.Type, in context: DependencyContext
  ) -> Key.Value {
    let entry = Entry(key: ObjectIdentifier(key), context: context)
    if let value = values.withLock({ $0[entry] }) as? Key.Value { return value }
    let value = make(key, in: context)
    values.withLock { $0[entry] = value }
    return value
  }

  private static func make<Key: TestDependencyKey>(
    _ key: Key.Type, in context: DependencyContext
  ) -> Key.Value {
    switch context {
    case .live: (key as? any DependencyKey.Type)?.liveValue as? Key.Value ?? key.testValue
    case .preview: key.previewValue
    case .test: key.testValue
    }
  }
}
