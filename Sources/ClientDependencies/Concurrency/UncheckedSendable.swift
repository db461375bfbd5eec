#if !PointFreeDependencies
/// A value that crosses between tasks on its user's responsibility.
///
/// Thread safety: that of the value; the compiler checks nothing.
@dynamicMemberLookup
@propertyWrapper
public struct UncheckedSendable<Value>: @unchecked Sendable {  // Right where its user is right.
  /// The value.
  public var value: Value

  /// Wraps a value.
  public init(_ value: Value) {
    self.value = value
  }

  /// Wraps the initial value of a property.
  public init(wrappedValue: Value) {
    value = wrappedValue
  }

  /// The value, as a property sees it.
  public var wrappedValue: Value {
    _read { yield value }
    _modify { yield &value }
  }

  /// The wrapper, to be handed to another task.
  public var projectedValue: Self {
    get { self }
    set { self = newValue }
  }

  /// Reads a part of the value.
  public subscript<Subject>(dynamicMember keyPath: KeyPath<Value, Subject>) -> Subject {
    value[keyPath: keyPath]
  }

  /// Reads or changes a part of the value.
  public subscript<Subject>(dynamicMember keyPath: WritableKeyPath<Value, Subject>) -> Subject {
    _read { yield value[keyPath: keyPath] }
    _modify { yield &value[keyPath: keyPath] }
  }
}

extension UncheckedSendable: Equatable where Value: Equatable {}
extension UncheckedSendable: Hashable where Value: Hashable {}

extension UncheckedSendable: Decodable where Value: Decodable {
  /// Decodes the value alone.
  public init(from decoder: any Decoder) throws {
    value = try Value(from: decoder)
  }
}

extension UncheckedSendable: Encodable where Value: Encodable {
  /// Encodes the value alone.
  public func encode(to encoder: any Encoder) throws {
    try value.encode(to: encoder)
  }
}

extension UncheckedSendable: AsyncSequence where Value: AsyncSequence {
  /// The iterator of the wrapped sequence.
  public typealias AsyncIterator = Value.AsyncIterator
  /// The element of the wrapped sequence.
  public typealias Element = Value.Element

  /// Begins the wrapped sequence.
  public func makeAsyncIterator() -> Value.AsyncIterator {
    value.makeAsyncIterator()
  }
}
#endif
