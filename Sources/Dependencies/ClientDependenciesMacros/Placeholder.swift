#if !PointFreeDependencies
public import ClientDependencies

/// Finds a value of a type by its conformances alone.
enum Placeholder {
  static func value<Value>(of type: Value.Type) -> Value? {
    if let void = () as? Value { return void }
    let found: Any? =
      switch type {
      case let type as any UnimplementedPlaceholder.Type: type.unimplementedPlaceholder
      // An empty literal traps: a vector needs its number of elements.
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

  /// The first value of a type that lists its values.
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
/// It is needed if an endpoint neither can throw ``/ClientDependencies/Unimplemented`` nor has a
/// default: with `throws(MyError)`, and with a type alias. Optionals, collections, numbers,
/// Booleans, options, and streams need no conformance: their placeholder is nothing, empty, zero,
/// or false. Any other type without a conformance leaves nothing to return, and the process ends,
/// unless the type, or the error of `throws(MyError)`, is `CaseIterable`: then it is the first
/// case.
public protocol UnimplementedPlaceholder {
  /// Any value will do, because the test has failed when it is returned.
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

/// What the type checker has to find out about a declaration; only the macros' expansions use it.
///
/// They call these functions in code that never runs, under a `#sourceLocation` of the declaration,
/// so that a complaint names the user's line.
public enum _Checks {
  /// What any code may use.
  public struct Nonisolated {}
  /// What the main actor's code alone may use.
  public struct OnMainActor {}

  /// Finds out the isolation of a function, and so that of the declaration around it.
  public static func isolation(of function: () -> Void) -> Nonisolated { Nonisolated() }
  /// Finds out the isolation of a function, and so that of the declaration around it.
  public static func isolation(of function: @MainActor () -> Void) -> OnMainActor { OnMainActor() }

  /// Accepts what any code may use.
  public static func isNonisolated(_ isolation: Nonisolated) {}
  /// Refuses what the module's default isolation gives to the main actor.
  @available(
    *, unavailable,
    message: """
      Mark the declaration 'nonisolated': code on any actor reads a dependency, and the module's \
      default isolation makes this one the main actor's
      """
  )
  public static func isNonisolated(_ isolation: OnMainActor) {}

  /// Refuses an entry whose value is not `Sendable`.
  public static func isSendable<Value: Sendable>(_ entry: KeyPath<DependencyValues, Value>) {}

  /// Refuses a live or a preview value of another type than its entry.
  public static func isValue<Value>(
    of entry: KeyPath<DependencyValues, Value>, _ value: @autoclosure () -> Value
  ) {}
}
#endif
