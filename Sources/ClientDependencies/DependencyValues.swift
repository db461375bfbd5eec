/// The dependencies that a scope sees: what was overridden in it, and for the rest the values of
/// its context.
///
/// Declare a property for each key in an extension:
///
/// ```swift
/// extension DependencyValues {
///   var audioPlayer: AudioPlayerClient {
///     get { self[AudioPlayerClient.self] }
///     set { self[AudioPlayerClient.self] = newValue }
///   }
/// }
/// ```
public struct DependencyValues: Sendable {
  /// The values of the current task; change them with `withDependencies`.
  ///
  /// Child tasks inherit them, detached tasks and other threads do not.
  @TaskLocal public static var _current = DependencyValues.ofProcess

  @usableFromInline var scope: Scope
  @usableFromInline let reader: Reader?
  /// False while an update closure works on the values: it reads a value in order to change a part
  /// of it, and that is no use of the value which deserves an issue.
  @usableFromInline let isInUse: Bool

  /// Values without overrides, which share no cached value with others.
  public init() {
    self.init(scope: Scope(cache: ValueCache()))
  }

  @inlinable
  init(scope: Scope, reader: Reader? = nil, isInUse: Bool = false) {
    self.scope = scope
    self.reader = reader
    self.isInUse = isInUse
  }

  /// The value of a key: the override in this scope, otherwise that of the context, made once and
  /// kept.
  @inlinable
  public subscript<Key: TestDependencyKey>(
    key: Key.Type,
    fileID fileID: StaticString = #fileID,
    filePath filePath: StaticString = #filePath,
    function function: StaticString = #function,
    line line: UInt = #line,
    column column: UInt = #column
  ) -> Key.Value {
    get {
      if let value = scope.value(of: key) ?? reader?.captured.value(of: key) {
        return isTesting ? originating(value) : value
      }
      let cached = cache.value(of: key, in: context, for: reader)
      if isInUse, let gap = cached.gap {
        report(
          gap, of: key, readBy: function,
          at: SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
      }
      return isTesting ? originating(cached.value) : cached.value
    }
    set { scope = scope.overriding(key, with: newValue) }
  }

  /// The context whose values are used where there is no override.
  public var context: DependencyContext {
    @inlinable
    get { scope.context ?? reader?.captured.context ?? .ofProcess }
    set { scope = scope.inContext(newValue) }
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
    self.init(scope: Scope(cache: ValueCache()).inContext(context), isInUse: true)
  }

  static let ofProcess = DependencyValues(
    scope: Scope(cache: .ofProcess), isInUse: true)

  /// What a wrapper reads: the current values over those that it captured.
  @inlinable
  static func read(by reader: Reader) -> DependencyValues {
    DependencyValues(scope: _current.scope, reader: reader, isInUse: true)
  }

  /// The values of a scope, ready for an update closure.
  @inlinable
  static func updating(_ scope: Scope) -> DependencyValues {
    DependencyValues(scope: scope)
  }

  /// The values as they are after an update closure, ready to be read.
  @inlinable
  var inUse: DependencyValues { DependencyValues(scope: scope, isInUse: true) }

  @usableFromInline
  var cache: ValueCache {
    guard let reader, scope.cache === ValueCache.ofProcess else { return scope.cache }
    return reader.captured.cache
  }

  @usableFromInline
  func report<Key: TestDependencyKey>(
    _ gap: Gap, of key: Key.Type, readBy function: StaticString, at location: SourceLocation
  ) {
    MissingValue(
      gap: gap, key: key, property: function, location: reader?.location ?? location
    ).report(from: reader?.origin ?? .current)
  }
}
