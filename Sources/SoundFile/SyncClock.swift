/// Says when a disk is to store what was written: one request at a time, and those that come
/// meanwhile are one.
struct SyncClock {
  /// What a request leads to.
  enum Action: Equatable {
    /// Nothing is under way: begin.
    case begin
    /// Something is under way: it follows by itself.
    case wait
    /// The same, and what is under way has taken so long that somebody should know; once for each.
    case waitAndTell(Duration)
  }

  private enum State {
    case idle
    case busy
    case busyAndDue
  }

  /// How long a disk may take without a word.
  static let patience = Duration.seconds(5)

  private var state = State.idle
  private var began = Duration.zero
  private var hasTold = false

  /// There is more to store at `time`.
  mutating func request(at time: Duration) -> Action {
    if state == .idle {
      begin(at: time)
      return .begin
    }
    state = .busyAndDue
    return slowness(at: time).map { .waitAndTell($0) } ?? .wait
  }

  /// A request was carried out at `time`.
  ///
  /// - Returns: whether the next one is to begin now, and how long this one took where nobody knows
  ///   yet that it took long.
  mutating func done(at time: Duration) -> (goesOn: Bool, slowness: Duration?) {
    let slowness = slowness(at: time)
    let goesOn = state == .busyAndDue
    if goesOn { begin(at: time) } else { state = .idle }
    return (goesOn, slowness)
  }

  private mutating func begin(at time: Duration) {
    (state, began, hasTold) = (.busy, time, false)
  }

  private mutating func slowness(at time: Duration) -> Duration? {
    guard !hasTold, time - began > Self.patience else { return nil }
    hasTold = true
    return time - began
  }
}
