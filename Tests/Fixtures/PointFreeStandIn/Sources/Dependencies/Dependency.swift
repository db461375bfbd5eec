/// Reads a dependency.
@propertyWrapper
public struct Dependency<Value>: Sendable {
  private let initialValues = DependencyValues._current
  private let keyPath: any KeyPath<DependencyValues, Value> & Sendable

  /// Reads a property.
  public init(
    _ keyPath: any KeyPath<DependencyValues, Value> & Sendable,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) {
    self.keyPath = keyPath
  }

  /// Reads a key.
  public init<Key: TestDependencyKey>(
    _ key: Key.Type,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) where Key.Value == Value {
    keyPath = \DependencyValues.[named: KeyName<Key>()]
  }

  /// The value that the current scope sees.
  public var wrappedValue: Value {
    let values = initialValues.merging(DependencyValues._current)
    return DependencyValues.$_current.withValue(values) { values[keyPath: keyPath] }
  }
}

private struct KeyName<Key>: Hashable, Sendable {}

extension DependencyValues {
  fileprivate subscript<Key: TestDependencyKey>(named name: KeyName<Key>) -> Key.Value {
    self[Key.self]
  }
}
