#if !PointFreeDependencies
import Foundation

/// A value that one thread at a time reads or changes: for what a test's closures record.
///
/// ```swift
/// let played = LockIsolated<[URL]>([])
/// player.play = { url in played.withValue { $0.append(url) } }
/// ```
///
/// Thread safety: any thread may use it at any time, and may wait there. The new value of
/// ``setValue(_:)`` and the operation of ``withValue(_:)`` may read the object, and find the value
/// as it was before; what they change by another way than their own is overwritten when they end.
@dynamicMemberLookup
public final class LockIsolated<Value>: @unchecked Sendable {
  // `@unchecked` is right, because the value is only used under the lock.
  private let lock = NSRecursiveLock()
  private var isolated: Value

  /// Guards a value, to which no other reference may exist.
  public init(_ value: @autoclosure () throws -> sending Value) rethrows {
    isolated = try value()
  }

  /// Reads a part of the value.
  public subscript<Subject: Sendable>(dynamicMember keyPath: KeyPath<Value, Subject>) -> Subject {
    lock.withLock { isolated[keyPath: keyPath] }
  }

  /// Reads and changes the value in one go.
  ///
  /// - Returns: what the operation returns; throws what it throws.
  public func withValue<T>(
    _ operation: (inout Value) throws -> sending T
  ) rethrows -> sending T {
    lock.lock()
    defer { lock.unlock() }
    // A copy, because the operation may read this object's value by another way.
    var value = isolated
    defer { isolated = value }
    return try operation(&value)
  }

  /// Replaces the value, under the lock also while the new one is made.
  public func setValue(_ newValue: @autoclosure () throws -> sending Value) rethrows {
    lock.lock()
    defer { lock.unlock() }
    isolated = try newValue()
  }
}

extension LockIsolated where Value: Sendable {
  /// The value as it is now.
  public var value: Value { lock.withLock { isolated } }
}

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
