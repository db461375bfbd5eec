#if !PointFreeDependencies
/// Reads a dependency: `@Dependency(\.audioPlayer) var audioPlayer`.
///
/// A read returns the value of the current scope, or else of the scope in which the wrapper was
/// created. An object that is created inside `withDependencies` therefore keeps that scope's
/// overrides in its properties. Use the wrapper for stored, local, or static properties. It can
/// also read a part of a dependency: `@Dependency(\.audioPlayer.play) var play`.
///
/// A wrapper inside a computed property of `DependencyValues`, or inside a value under
/// construction, sees the same scope as the wrapper that is being read. A constructed value is
/// cached for all readers.
///
/// Thread safety: any thread may read a dependency. Reading a value without an override takes a
/// lock for a lookup. If another thread is constructing the value, the read waits for that thread.
@propertyWrapper
public struct Dependency<Value>: Sendable {
  let read: @Sendable (DependencyValues) -> Value
  /// The scope in which the wrapper was created.
  let captured: DependencyScope
  let site: SourceLocation

  /// Reads a property of `DependencyValues`, or a part of a property:
  /// `@Dependency(\.audioPlayer.play)`.
  ///
  /// A key-path literal becomes a closure, which costs less to evaluate than a key-path value.
  public init(
    _ read: @escaping @Sendable (DependencyValues) -> Value,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) {
    self.read = read
    captured = DependencyValues._current.scope.captured
    site = SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Reads a property of `DependencyValues`, or a part of a property, by a key-path value.
  @_disfavoredOverload
  public init(
    _ keyPath: any KeyPath<DependencyValues, Value> & Sendable,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) {
    self.init(
      { $0[keyPath: keyPath] }, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Reads a key without a property: `@Dependency(AudioPlayerClient.self) var audioPlayer`.
  public init<Key: TestDependencyKey>(
    _ key: Key.Type,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) where Key.Value == Value {
    self.init(
      { $0[Key.self, function: ""] }, fileID: fileID, filePath: filePath, line: line,
      column: column)
  }

  /// Reads a value with a function.
  package init(
    fileID: StaticString, filePath: StaticString, line: UInt, column: UInt,
    reading read: @escaping @Sendable (DependencyValues) -> Value
  ) {
    self.init(read, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// The value in the current scope, or else in the scope in which the wrapper was created.
  public var wrappedValue: Value {
    var values = DependencyValues._current
    let isMerged = values.scope.merge(over: captured)
    let current = values
    values.site = site
    if !isMerged { return read(values) }
    // Nested reads must see the same scope.
    return DependencyValues.$_current.withValue(current) { [values] in read(values) }
  }
}

/// Identifies wrappers among an object's properties, regardless of their value types.
protocol ScopeCapturing {
  var captured: DependencyScope { get }
}

extension Dependency: ScopeCapturing {}
#endif
