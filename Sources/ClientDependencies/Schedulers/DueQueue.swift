#if !PointFreeDependencies
/// What waits for which time, in the order of the times and then of its coming.
struct DueQueue<Instant: Comparable, Work> {
  private struct Item {
    var id: Int
    var due: Instant
    var work: Work
  }

  private(set) var now: Instant
  private var items: [Item] = []
  private var lastID = 0

  init(now: Instant) {
    self.now = now
  }

  var count: Int { items.count }

  /// The earliest time for which something waits.
  var next: Instant? { items.first?.due }

  mutating func nextID() -> Int {
    lastID += 1
    return lastID
  }

  mutating func add(_ id: Int, due: Instant, _ work: Work) {
    let place = items.firstIndex { due < $0.due || due == $0.due && id < $0.id } ?? items.endIndex
    items.insert(Item(id: id, due: due, work: work), at: place)
  }

  /// Takes out the work with an identifier, if it still waits.
  mutating func remove(_ id: Int) -> Work? {
    items.firstIndex { $0.id == id }.map { items.remove(at: $0).work }
  }

  /// Takes out the next work that is due by `limit` and moves the time there, or to `limit` if
  /// there is none; the time never goes back.
  mutating func takeNext(until limit: Instant) -> Work? {
    guard let first = items.first, first.due <= limit else {
      now = max(now, limit)
      return nil
    }
    now = max(now, first.due)
    return items.removeFirst().work
  }
}
#endif
