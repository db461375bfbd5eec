import Synchronization

/// Decides how long a finishing task waits for a source or an engine without progress.
struct StallDetector {
  /// What to do after a check.
  enum Verdict: Equatable {
    case wait
    /// The source delivers no audio.
    case leaveSource
    /// The engine's call does not return.
    case leaveEngine
  }

  /// The time between two checks, and the limit for a source to deliver a buffer.
  static let interval = Duration.seconds(1)
  /// The number of checks without progress after which an engine counts as stuck.
  static let engineChecks = 30

  private var beats: Int
  private var idleChecks = 0

  init(beats: Int) {
    self.beats = beats
  }

  mutating func check(beats: Int, isSourceAsked: Bool) -> Verdict {
    guard beats == self.beats else {
      self.beats = beats
      idleChecks = 0
      return .wait
    }
    idleChecks += 1
    if isSourceAsked { return .leaveSource }
    return idleChecks >= Self.engineChecks ? .leaveEngine : .wait
  }
}

/// Counts a task's steps, to see whether it makes progress.
final class Pulse: Sendable {
  private let count = Atomic<Int>(0)

  var beats: Int { count.load(ordering: .relaxed) }

  func beat() {
    count.wrappingAdd(1, ordering: .relaxed)
  }
}
