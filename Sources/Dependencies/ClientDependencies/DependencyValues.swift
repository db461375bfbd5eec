#if !PointFreeDependencies
/// The dependencies of a scope: its overrides, and the values of its context.
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
  /// Child tasks inherit them; detached tasks and other threads do not.
  @TaskLocal public static var _current = DependencyValues.ofProcess

  var scope: DependencyScope
  /// The source location of the `@Dependency` that is being read.
  var site: SourceLocation?
  var purpose: Purpose

  /// The purpose of reading the values.
  enum Purpose: Sendable {
    /// Code reads a value to use it.
    case use
    /// An update closure reads a value to change a part of it; such reads are not reported.
    case update
    /// `prepareDependencies` sets values in the cache.
    case preparation
  }

  /// Values without overrides and with a new cache.
  public init() {
    self.init(scope: DependencyScope(cache: ValueCache()))
  }

  init(scope: DependencyScope, purpose: Purpose = .update) {
    self.scope = scope
    self.purpose = purpose
  }

  /// The value of a key: the override in this scope, or else the context's value, which is created
  /// once.
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
      return cachedValue(
        of: key, readBy: function,
        at: SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
    }
    set {
      guard purpose != .preparation || prepare(key, newValue, property: function) else { return }
      scope.override(key, with: newValue)
    }
  }

  /// The context of values without an override.
  public var context: DependencyContext {
    get { scope.context ?? scope.cache.preparedContext(for: scope.origin) ?? .ofProcess }
    set {
      guard purpose != .preparation || prepareContext(newValue) else { return }
      scope.context = newValue
    }
  }
}

extension DependencyValues {
  /// Replaces the cache with an empty cache.
  package mutating func startCache() {
    scope.cache = ValueCache()
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
    self.init(scope: DependencyScope(cache: ValueCache()), purpose: .use)
    scope.context = context
  }

  static let ofProcess = DependencyValues(scope: DependencyScope(), purpose: .use)

  /// Sets the purpose of reads; called before and after an update closure.
  mutating func setPurpose(_ purpose: Purpose) {
    site = nil
    self.purpose = purpose
  }

  /// Returns the current values, to be read for the given purpose.
  static func current(for purpose: Purpose) -> DependencyValues {
    DependencyValues(scope: _current.scope, purpose: purpose)
  }

  var isInUse: Bool { purpose == .use }

  private func cachedValue<Key: TestDependencyKey>(
    of key: Key.Type, readBy function: StaticString, at location: SourceLocation
  ) -> Key.Value {
    let location = site ?? location
    let cached =
      purpose == .preparation
      ? scope.cache.valueToPrepare(of: key, in: context, for: scope.origin, readAt: location)
      : scope.cache.value(
        of: key, in: scope.context, for: scope.origin, purpose: purpose, readAt: location)
    if isInUse, let gap = cached.gap {
      report(MissingValue(gap: gap, key: key, property: function, location: location))
    }
    return isTesting ? originating(cached.value) : cached.value
  }

  private func report(_ missing: MissingValue) {
    guard ReportedMissingValues.isNew(missing) else { return }
    missing.report(from: scope.origin.or(.current))
  }
}
#endif
