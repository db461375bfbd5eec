#if !PointFreeDependencies
/// Reads a dependency: `@Dependency(\.audioPlayer) var audioPlayer`.
///
/// Every read gives the value of the scope that reads, over what was overridden where the wrapper
/// was made. A property of an object that was made inside `withDependencies` therefore keeps that
/// scope's overrides. It works as a stored property, as a local and in static context; a part of a
/// dependency can be named as well: `@Dependency(\.audioPlayer.play) var play`.
///
/// A computed property of `DependencyValues` that declares a wrapper of its own, and a context's
/// value that is made by a read, see what the wrapper sees that reads them. Such a value is kept for
/// all who share the cache.
///
/// Thread safety: it can be read on every thread. Outside tests a read takes no lock, but for the
/// first one of a value and those of a key that lacks its live value.
@propertyWrapper
public struct Dependency<Value>: Sendable {
  @usableFromInline let read: @Sendable (DependencyValues) -> Value
  /// The scope in which the wrapper was made.
  @usableFromInline let captured: Scope
  @usableFromInline let site: Site

  /// Reads a property of `DependencyValues`, or a part of one: `@Dependency(\.audioPlayer.play)`.
  ///
  /// A key path that is written out becomes a closure, which costs a call; see the other
  /// initialiser.
  @inlinable
  public init(
    _ read: @escaping @Sendable (DependencyValues) -> Value,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) {
    self.read = read
    captured = DependencyValues.currentScope.captured
    site = Site(fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Reads a property of `DependencyValues`, or a part of one, by a key path that is a value.
  ///
  /// Swift evaluates such a key path step by step, which costs ten times as much as all the rest.
  @inlinable
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

  /// Reads a key that has no property: `@Dependency(AudioPlayerClient.self) var audioPlayer`.
  @inlinable
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

  /// Reads whatever a function takes from the values.
  package init(
    fileID: StaticString, filePath: StaticString, line: UInt, column: UInt,
    reading read: @escaping @Sendable (DependencyValues) -> Value
  ) {
    self.init(read, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// The value that the current scope sees, over the one that the wrapper was made in.
  @inlinable
  public var wrappedValue: Value {
    var values = DependencyValues.current
    let isCurrent = !values.scope.join(captured)
    let current = values
    values.site = site
    if isCurrent { return read(values) }
    // What reads others in turn shall see the same scope.
    return DependencyValues.$_current.withValue(current) { [values] in read(values) }
  }
}

/// Finds the wrappers among an object's properties, whatever they wrap.
protocol ScopeCapturing {
  var captured: Scope { get }
}

extension Dependency: ScopeCapturing {}
#endif
