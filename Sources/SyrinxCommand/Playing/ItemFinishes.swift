import AudioPlayerClient

/// Finds the end of each item in the events of a playback: every item has one, also one that failed or
/// that nothing was played of.
struct ItemFinishes {
  /// Why nothing of an item is played any more.
  enum Reason: String {
    /// The next item began.
    case completed
    /// The playback was stopped, or went on in another item.
    case stopped
    /// It could not be played, or not to its end.
    case failed
  }

  /// The end of an item.
  struct Finish: Equatable {
    let item: Int
    let reason: Reason
    /// What has been heard of all items until then.
    let heard: Duration
  }

  private var hasEnded: [Bool]
  private var current: Int?
  private var heard = Duration.zero

  /// - Parameter itemCount: how many items the playback has.
  init(itemCount: Int) {
    hasEnded = Array(repeating: false, count: itemCount)
  }

  /// What an event ends.
  mutating func take(_ event: PlaybackEvent) -> [Finish] {
    switch event {
    case .started(let start):
      current = start.item
    case .progress(let place), .looped(let place, _), .paused(let place), .resumed(let place):
      heard = place.heard
    case .advanced(let place): return go(to: place, leaving: .completed)
    case .sought(let place) where place.item != current: return go(to: place, leaving: .stopped)
    case .failed(let item, _): return [end(item, .failed)]
    case .finished(let finish):
      heard = finish.heard
      return endAll(finish.reason == .completed ? .completed : .stopped)
    default: break
    }
    return []
  }

  /// Ends what is left: in order, but that what is heard comes first.
  mutating func endAll(_ reason: Reason) -> [Finish] {
    let last = current.map { [end($0, reason)] } ?? []
    let rest = hasEnded.indices.filter { !hasEnded[$0] }
    return last + rest.map { end($0, reason) }
  }

  private mutating func go(to place: PlaybackProgress, leaving reason: Reason) -> [Finish] {
    heard = place.heard
    defer { current = place.item }
    return current.map { [end($0, reason)] } ?? []
  }

  private mutating func end(_ item: Int, _ reason: Reason) -> Finish {
    if hasEnded.indices.contains(item) { hasEnded[item] = true }
    if current == item { current = nil }
    return Finish(item: item, reason: reason, heard: heard)
  }
}
