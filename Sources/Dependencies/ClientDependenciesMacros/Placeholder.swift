#if !PointFreeDependencies
public import ClientDependencies

/// Finds a placeholder value of a type from the type's conformances alone.
enum Placeholder {
  static func value<Value>(of type: Value.Type) -> Value? {
    if let void = () as? Value { return void }
    let found: Any? =
      switch type {
      case let type as any UnimplementedPlaceholder.Type: type.unimplementedPlaceholder
      // This case precedes array literals, because creating a vector from an empty literal traps.
      case let type as any SIMD.Type: type.init()
      case let type as any ExpressibleByNilLiteral.Type: none(type)
      case let type as any ExpressibleByArrayLiteral.Type: empty(type)
      case let type as any ExpressibleByDictionaryLiteral.Type: empty(type)
      case let type as any RangeReplaceableCollection.Type: type.init()
      case let type as any AdditiveArithmetic.Type: type.zero
      case is Bool.Type: false
      default: nil
      }
    return found as? Value
  }

  /// Returns the first case of a type that is `CaseIterable`.
  static func firstCase<Value>(of type: Value.Type) -> Value? {
    guard let type = type as? any CaseIterable.Type else { return nil }
    return first(type) as? Value
  }

  private static func none<Value: ExpressibleByNilLiteral>(_: Value.Type) -> Any {
    Value(nilLiteral: ())
  }

  private static func empty<Value: ExpressibleByArrayLiteral>(_: Value.Type) -> Any {
    [] as Value
  }

  private static func empty<Value: ExpressibleByDictionaryLiteral>(_: Value.Type) -> Any {
    [:] as Value
  }

  private static func first<Value: CaseIterable>(_: Value.Type) -> Any? {
    Value.allCases.first
  }
}

/// A value that an unimplemented endpoint can return after it has reported its issue.
///
/// It is needed for an endpoint that has no default and cannot throw
/// ``/ClientDependencies/Unimplemented``: with `throws(MyError)` or a type alias. Optionals,
/// collections, numbers, Booleans, options, and streams need no conformance; their placeholders are
/// nil, empty, zero, or false. For other types, the first case is used if the type, or the error of
/// `throws(MyError)`, is `CaseIterable`. Otherwise the process ends.
public protocol UnimplementedPlaceholder {
  /// The placeholder; any value is suitable, because the test has already failed.
  static var unimplementedPlaceholder: Self { get }
}

extension AsyncStream: UnimplementedPlaceholder {
  /// A stream that ends at once.
  public static var unimplementedPlaceholder: Self { Self { $0.finish() } }
}

extension AsyncThrowingStream: UnimplementedPlaceholder where Failure == any Error {
  /// A stream that ends at once, with the error.
  public static var unimplementedPlaceholder: Self {
    Self { $0.finish(throwing: Unimplemented("\(Self.self)")) }
  }
}

/// Checks of a declaration that need the type checker; only the macros' expansions use them.
///
/// Expansions call these functions in code that never runs, under a `#sourceLocation` of the
/// declaration, so that an error names the user's line.
public enum _Checks {
  /// The result of `isolation(of:)` for a nonisolated function.
  public struct Nonisolated {}
  /// The result of `isolation(of:)` for a function on the main actor.
  public struct OnMainActor {}

  /// The overload for a nonisolated `function`, whose enclosing declaration is nonisolated, too.
  public static func isolation(of function: () -> Void) -> Nonisolated { Nonisolated() }
  /// The overload for a main-actor `function`, whose enclosing declaration is on the main actor.
  public static func isolation(of function: @MainActor () -> Void) -> OnMainActor { OnMainActor() }

  /// Accepts a nonisolated declaration, which code on any actor may use.
  public static func isNonisolated(_ isolation: Nonisolated) {}
  /// Rejects a declaration that the module's default isolation puts on the main actor.
  @available(
    *, unavailable,
    message: """
      Mark the declaration 'nonisolated': code on any actor reads a dependency, and the module's \
      default isolation makes this one the main actor's
      """
  )
  public static func isNonisolated(_ isolation: OnMainActor) {}

  /// Compiles only if the entry's value is `Sendable`.
  public static func isSendable<Value: Sendable>(_ entry: KeyPath<DependencyValues, Value>) {}

  /// Rejects a live or preview value whose type is not the type of its dependency.
  public static func isValue<Value>(
    of entry: KeyPath<DependencyValues, Value>, _ value: @autoclosure () -> Value
  ) {}
}
#endif
