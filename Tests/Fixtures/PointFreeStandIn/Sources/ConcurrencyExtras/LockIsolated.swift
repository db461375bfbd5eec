import Foundation

/// A value that only one thread at a time can use.
public final class LockIsolated<Value>: @unchecked Sendable {
  private let lock = NSRecursiveLock()
  private var isolated: Value

  /// Guards a value.
  public init(_ value: @autoclosure () throws -> sending Value) rethrows {
    isolated = try value()
  }

  /// Runs an operation with the value.
  public func withValue<T>(
    _ operation: (inout Value) throws -> sending T
  ) rethrows -> sending T {
    lock.lock()
    defer { lock.unlock() }
    return try operation(&isolated)
  }
}

extension LockIsolated where Value: Sendable {
  /// The current value.
  public var value: Value { lock.withLock { isolated } }
}

/// A value that its user declares safe to pass to other isolations.
public struct UncheckedSendable<Value>: @unchecked Sendable {
  /// The value.
  public var value: Value

  /// Wraps a value.
  public init(_ value: Value) {
    self.value = value
  }
}

extension UncheckedSendable: Equatable where Value: Equatable {}
extension UncheckedSendable: Hashable where Value: Hashable {}
