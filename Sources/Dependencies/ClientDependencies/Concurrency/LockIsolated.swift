#if !PointFreeDependencies
#if Foundation
import Foundation

/// A mutable value that one thread at a time accesses, for example to record calls of a test's
/// closures.
///
/// ```swift
/// let played = LockIsolated<[URL]>([])
/// player.play = { url in played.withValue { $0.append(url) } }
/// ```
///
/// Thread safety: any thread may use it at any time; the calls may block. The argument of
/// ``setValue(_:)`` and the operation of ``withValue(_:)`` may also read the object, and get its
/// earlier value. If they change the object, their result then overwrites that change.
@dynamicMemberLookup
public final class LockIsolated<Value>: @unchecked Sendable {
  // `@unchecked` is safe, because the value is only used under the lock.
  private let lock = NSRecursiveLock()
  private var isolated: Value

  /// Guards a value.
  ///
  /// No other reference to the value may exist.
  public init(_ value: @autoclosure () throws -> sending Value) rethrows {
    isolated = try value()
  }

  /// Reads a part of the value.
  public subscript<Subject: Sendable>(dynamicMember keyPath: KeyPath<Value, Subject>) -> Subject {
    lock.withLock { isolated[keyPath: keyPath] }
  }

  /// Runs an operation with exclusive access to the value.
  ///
  /// - Returns: the operation's result; rethrows its error.
  public func withValue<T>(
    _ operation: (inout Value) throws -> sending T
  ) rethrows -> sending T {
    lock.lock()
    defer { lock.unlock() }
    // The operation changes a copy, because it may also read this object.
    var value = isolated
    defer { isolated = value }
    return try operation(&value)
  }

  /// Replaces the value.
  ///
  /// The new value is computed under the lock.
  public func setValue(_ newValue: @autoclosure () throws -> sending Value) rethrows {
    lock.lock()
    defer { lock.unlock() }
    isolated = try newValue()
  }
}

extension LockIsolated where Value: Sendable {
  /// The current value.
  public var value: Value { lock.withLock { isolated } }
}

/// A mutable value in an actor, for example to record calls of a test's asynchronous closures.
///
/// ```swift
/// let isPlaying = ActorIsolated(false)
/// player.play = { _ in await isPlaying.setValue(true) }
/// ```
///
/// `LockIsolated` does the same without `await`.
public final actor ActorIsolated<Value> {
  /// The current value.
  public var value: Value

  /// Guards a value.
  public init(_ value: @autoclosure @Sendable () throws -> Value) rethrows {
    self.value = try value()
  }

  /// Runs an operation with exclusive access to the value.
  ///
  /// - Returns: the operation's result; rethrows its error.
  public func withValue<T>(_ operation: @Sendable (inout Value) throws -> T) rethrows -> T {
    try operation(&value)
  }

  /// Replaces the value.
  public func setValue(_ newValue: @autoclosure @Sendable () throws -> Value) rethrows {
    value = try newValue()
  }
}
#endif
#endif
