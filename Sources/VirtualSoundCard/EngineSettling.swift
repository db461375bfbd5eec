/// Whether the engine is asleep in a wait for the card, and who wants to know.
struct EngineSettling {
  private var isAsleep = false
  private var waiting: CheckedContinuation<Void, Never>?

  /// The engine goes to sleep; the pacer that waits for that is to be resumed.
  mutating func arrived() -> CheckedContinuation<Void, Never>? {
    isAsleep = true
    return takeWaiting()
  }

  /// The engine has been woken.
  mutating func left() {
    isAsleep = false
  }

  /// The pacer waits; it is given back at once where there is nothing to wait for.
  mutating func await(
    _ continuation: CheckedContinuation<Void, Never>, isOver: Bool
  ) -> CheckedContinuation<Void, Never>? {
    if isAsleep || isOver { return continuation }
    waiting = continuation
    return nil
  }

  mutating func takeWaiting() -> CheckedContinuation<Void, Never>? {
    defer { waiting = nil }
    return waiting
  }
}
