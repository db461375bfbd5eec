import Synchronization

/// How long a task that is to finish waits for what does not move.
struct StallDetector {
  /// What to do after a look.
  enum Verdict: Equatable {
    case wait
    /// The source is asked for audio, and gives none.
    case leaveSource
    /// The engine does not come back.
    case leaveEngine
  }

  /// How often it looks; a source has so much time for each buffer.
  static let interval = Duration.seconds(1)
  /// After so many looks without a move an engine is stuck.
  static let engineLooks = 30

  private var beats: Int
  private var idleLooks = 0

  init(beats: Int) {
    self.beats = beats
  }

  mutating func look(beats: Int, isSourceAsked: Bool) -> Verdict {
    guard beats == self.beats else {
      self.beats = beats
      idleLooks = 0
      return .wait
    }
    idleLooks += 1
    if isSourceAsked { return .leaveSource }
    return idleLooks >= Self.engineLooks ? .leaveEngine : .wait
  }
}

/// Counts what a task has done, for whoever wonders whether it still moves.
final class Pulse: Sendable {
  private let count = Atomic<Int>(0)

  var beats: Int { count.load(ordering: .relaxed) }

  func beat() {
    count.wrappingAdd(1, ordering: .relaxed)
  }
}
