#if !PointFreeDependencies
/// The dependencies that a scope sees: what was overridden in it, and for the rest the values of
/// its context.
///
/// Declare a property for each key in an extension:
///
/// ```swift
/// extension DependencyValues {
///   var player: PlayerClient {
///     get { self[PlayerClient.self] }
///     set { self[PlayerClient.self] = newValue }
///   }
/// }
/// ```
public struct DependencyValues: Sendable {
  /// The values of the current task; change them with `withDependencies`.
  ///
  /// Child tasks inherit them, detached tasks and other threads do not.
  @TaskLocal public static var _current = DependencyValues.ofProcess

  @usableFromInline var scope: Scope
  /// Where the wrapper was declared that reads.
  @usableFromInline var site: Site?
  @usableFromInline var purpose: Purpose

  /// What the values are at hand for.
  @usableFromInline
  enum Purpose: Sendable {
    /// Code reads them.
    case use
    /// An update closure works on them: it reads a value in order to change a part of it, and that
    /// is no use of the value which deserves an issue.
    case update
    /// `prepareDependencies` does, so that what is set goes into the cache.
    case preparation
  }

  /// Values without overrides, which share no cached value with others.
  public init() {
    self.init(scope: Scope(cache: ValueCache()))
  }

  @inlinable
  init(scope: Scope, site: Site? = nil, purpose: Purpose = .update) {
    self.scope = scope
    self.site = site
    self.purpose = purpose
  }

  /// The value of a key: the override in this scope, otherwise that of the context, made once and
  /// kept.
  @inlinable
  public subscript<Key: TestDependencyKey>(
    key: Key.Type,
    fileID fileID: StaticString = #fileID,
    filePath filePath: StaticString = #filePath,
    line line: UInt = #line,
    column column: UInt = #column,
    function function: StaticString = #function
  ) -> Key.Value {
    get {
      if let value = scope.value(of: key) { return isTesting ? originating(value) : value }
      if let entry = sharedEntry(ObjectIdentifier(key)) {
        // Right, because an entry is filed under the key whose value it holds.
        return entry._withUnsafeGuaranteedRef {
          unsafeDowncast($0, to: CachedValue<Key.Value>.self).value
        }
      }
      return cachedValue(
        of: key, readBy: function,
        at: SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
    }
    set {
      guard purpose != .preparation || prepare(key, newValue, property: function) else { return }
      scope = scope.overriding(key, with: newValue)
    }
  }

  /// The context whose values are used where there is no override.
  public var context: DependencyContext {
    get { scope.context ?? scope.cache.preparedContext(for: scope.origin) ?? .ofProcess }
    set {
      guard purpose != .preparation || prepareContext(newValue) else { return }
      scope = scope.inContext(newValue)
    }
  }
}

extension DependencyValues {
  /// Goes on with a cache of its own, in which nothing is yet.
  package mutating func startCache() {
    scope = scope.inCache(ValueCache())
  }
}

extension DependencyValues {
  /// Values without overrides in the live context.
  public static var live: DependencyValues { DependencyValues(context: .live) }
  /// Values without overrides in the preview context.
  public static var preview: DependencyValues { DependencyValues(context: .preview) }
  /// Values without overrides in the test context.
  public static var test: DependencyValues { DependencyValues(context: .test) }

  private init(context: DependencyContext) {
    self.init(scope: Scope(cache: ValueCache()).inContext(context), purpose: .use)
  }

  static let ofProcess = DependencyValues(scope: Scope(front: nil), purpose: .use)

  /// The scope of the current task.
  @inlinable static var currentScope: Scope { current.scope }

  /// The same as `_current`, for inlinable code: a caller fetches the task-local only once.
  @inlinable static var current: DependencyValues { $_current.get() }

  /// Opens the values to an update closure, or closes them again.
  @inlinable
  mutating func be(for purpose: Purpose) {
    site = nil
    self.purpose = purpose
  }

  /// The current values, for what runs with another purpose.
  @inlinable
  static func current(for purpose: Purpose) -> DependencyValues {
    DependencyValues(scope: currentScope, purpose: purpose)
  }

  var isInUse: Bool { purpose == .use }

  /// The entry of a key that deserves no issue, where it needs no look-up of the current test.
  @usableFromInline
  func sharedEntry(_ key: ObjectIdentifier) -> Unmanaged<CacheEntry>? {
    let cache = scope.ownCache ?? ValueCache.ofProcessForReaders
    let entry = cache._withUnsafeGuaranteedRef { $0.sharedEntry(key, in: scope.context) }
    guard let entry else { return nil }
    return entry._withUnsafeGuaranteedRef { $0.gap == nil } ? entry : nil
  }

  @usableFromInline
  func cachedValue<Key: TestDependencyKey>(
    of key: Key.Type, readBy function: StaticString, at location: SourceLocation
  ) -> Key.Value {
    let location = site?.location ?? location
    let cached =
      purpose == .preparation
      ? scope.cache.valueToPrepare(of: key, in: context, for: scope.origin, readAt: location)
      : scope.cache.value(
        of: key, in: context, for: scope.origin, purpose: purpose, readAt: location)
    if isInUse, let gap = cached.gap {
      report(MissingValue(gap: gap, key: key, property: function, location: location))
    }
    return isTesting ? originating(cached.value) : cached.value
  }

  private func report(_ missing: MissingValue) {
    guard ReportedGaps.isNew(missing) else { return }
    missing.report(from: scope.origin.or(.current))
  }
}
#endif
