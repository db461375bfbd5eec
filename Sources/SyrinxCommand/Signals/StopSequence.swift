/// What a signal to stop leads to: the first one ends the work properly, the next one ends the
/// process.
struct StopSequence {
  /// What is to be done now.
  enum Action: Equatable {
    /// The work in hand is to be finished: files completed, sounds faded out.
    case finish
    /// The process is to end at once, with this exit status.
    case exit(Int32)
  }

  private var canFinish = false

  /// The signal that came first, nil while none has.
  private(set) var first: Int32?

  /// From now on there is work that can be finished.
  mutating func begin() {
    canFinish = true
  }

  mutating func receive(_ signal: Int32) -> Action {
    guard canFinish, first == nil else { return .exit(Self.status(signal)) }
    first = signal
    return .finish
  }

  /// What shells report of a process that such a signal ended: 130 for SIGINT, 143 for SIGTERM.
  static func status(_ signal: Int32) -> Int32 { 128 + signal }
}
