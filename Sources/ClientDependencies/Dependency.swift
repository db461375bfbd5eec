/// Reads a dependency: `@Dependency(\.audioPlayer) var audioPlayer`.
///
/// Every read gives the value of the scope that reads, over what was overridden where the wrapper
/// was made. A property of an object that was made inside `withDependencies` therefore keeps that
/// scope's overrides. It works as a stored property, as a local and in static context; a part of a
/// dependency can be named as well: `@Dependency(\.audioPlayer.play) var play`.
///
/// Thread safety: reading takes no lock outside tests.
@propertyWrapper
public struct Dependency<Value>: Sendable {
  @usableFromInline
  enum Source: Sendable {
    case keyPath(any KeyPath<DependencyValues, Value> & Sendable)
    case key(@Sendable (DependencyValues) -> Value)
  }

  @usableFromInline let source: Source
  @usableFromInline let reader: Reader

  /// Reads a property of `DependencyValues`, or a part of one.
  @inlinable
  public init(
    _ keyPath: any KeyPath<DependencyValues, Value> & Sendable,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) {
    source = .keyPath(keyPath)
    reader = Reader(
      captured: DependencyValues._current.scope,
      location: SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
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
    source = .key { values in values[Key.self, function: ""] }
    reader = Reader(
      captured: DependencyValues._current.scope,
      location: SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Reads whatever a function takes from the values.
  package init(
    fileID: StaticString, filePath: StaticString, line: UInt, column: UInt,
    reading read: @escaping @Sendable (DependencyValues) -> Value
  ) {
    source = .key(read)
    reader = Reader(
      captured: DependencyValues._current.scope,
      location: SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// The value that the current scope sees.
  @inlinable
  public var wrappedValue: Value {
    let values = DependencyValues.read(by: reader)
    return switch source {
    case .keyPath(let keyPath): values[keyPath: keyPath]
    case .key(let read): read(values)
    }
  }
}

/// Who reads: where a wrapper was declared, and the scope and the test in which it was made.
@usableFromInline
final class Reader: Sendable {
  @usableFromInline let captured: Scope
  @usableFromInline let location: SourceLocation
  let origin = IssueOrigin.current

  @usableFromInline
  init(captured: Scope, location: SourceLocation) {
    self.captured = captured
    self.location = location
  }
}

/// Finds the wrappers among an object's properties, whatever they wrap.
protocol ScopeCapturing {
  var capturedScope: Scope { get }
}

extension Dependency: ScopeCapturing {
  var capturedScope: Scope { reader.captured }
}
