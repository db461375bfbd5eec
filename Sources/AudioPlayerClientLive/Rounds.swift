import AudioPlayerClient

/// An item of a queue in one of the rounds in which the list is played.
struct QueuePlace: Equatable {
  var item = 0
  var round = 0
}

/// Counts the rounds in which an item, or a list of them, is played; one that gave nothing is the
/// last, so that nothing can go on for ever in silence.
struct Rounds {
  /// Which round it is, from 0.
  private(set) var current = 0
  private let limit: Int?
  private var hasGiven = false

  init(_ repetition: PlaybackRepetition) {
    limit =
      switch repetition {
      case .times(let count): max(1, count)
      case .forever: nil
      }
  }

  /// Notes that the current round gives something.
  mutating func gives() {
    hasGiven = true
  }

  /// Goes on in a round that somebody wants to hear, whatever it has given.
  mutating func go(to round: Int) {
    (current, hasGiven) = (round, true)
  }

  /// Whether another round begins now.
  mutating func begin() -> Bool {
    guard hasGiven, limit.map({ current + 1 < $0 }) ?? true else { return false }
    (current, hasGiven) = (current + 1, false)
    return true
  }
}
