#if !PointFreeDependencies
/// A value that an actor guards: for what a test's asynchronous closures record.
///
/// ```swift
/// let isPlaying = ActorIsolated(false)
/// player.play = { _ in await isPlaying.setValue(true) }
/// ```
///
/// `LockIsolated` does the same without `await`.
public final actor ActorIsolated<Value> {
  /// The value as it is now.
  public var value: Value

  /// Guards a value.
  public init(_ value: @autoclosure @Sendable () throws -> Value) rethrows {
    self.value = try value()
  }

  /// Reads and changes the value in one go.
  ///
  /// - Returns: what the operation returns; throws what it throws.
  public func withValue<T>(_ operation: @Sendable (inout Value) throws -> T) rethrows -> T {
    try operation(&value)
  }

  /// Replaces the value.
  public func setValue(_ newValue: @autoclosure @Sendable () throws -> Value) rethrows {
    value = try newValue()
  }
}
#endif
