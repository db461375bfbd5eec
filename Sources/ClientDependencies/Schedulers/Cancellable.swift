#if !PointFreeDependencies
/// Something that goes on until it is cancelled.
public protocol Cancellable {
  /// Ends it; a second time does nothing.
  func cancel()
}

/// Runs a closure when it is cancelled or released, whichever comes first.
///
/// Thread safety: any thread may cancel it, and the closure runs once.
public final class AnyCancellable: Cancellable, Hashable, Sendable {
  // Right as far as the caller is: the interface is Combine's, whose closures are not `Sendable`.
  private let action: Lock<UncheckedSendable<() -> Void>?>

  /// Runs the closure at the end.
  public init(_ cancel: @escaping () -> Void) {
    action = Lock(UncheckedSendable(cancel))
  }

  /// Cancels something else at the end.
  public convenience init(_ canceller: some Cancellable) {
    self.init { canceller.cancel() }
  }

  deinit { cancel() }

  /// Runs the closure, if it did not run before.
  public func cancel() {
    let action = action.withLock { action in
      defer { action = nil }
      return action
    }
    action?.value()
  }

  /// Keeps it in a set, which cancels it when it is emptied.
  public func store(in set: inout Set<AnyCancellable>) {
    set.insert(self)
  }

  /// Whether both are the same object.
  public static func == (left: AnyCancellable, right: AnyCancellable) -> Bool {
    left === right
  }

  /// Hashes the object's identity.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}
#endif
