#if !PointFreeDependencies
public import ClientDependencies

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
