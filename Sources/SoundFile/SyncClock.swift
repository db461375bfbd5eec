/// Says when a disk is to store what was written: one request at a time, and those that come
/// meanwhile are one.
struct SyncClock {
  private enum State {
    case idle
    case busy
    case busyAndDue
  }

  private var state = State.idle

  /// There is more to store; true where that is to begin now.
  mutating func request() -> Bool {
    switch state {
    case .idle:
      state = .busy
      return true
    case .busy, .busyAndDue:
      state = .busyAndDue
      return false
    }
  }

  /// A request was carried out; true where the next one is to begin now.
  mutating func done() -> Bool {
    defer { state = state == .busyAndDue ? .busy : .idle }
    return state == .busyAndDue
  }
}
