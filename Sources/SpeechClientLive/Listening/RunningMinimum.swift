/// The lowest of the last so many values.
struct RunningMinimum {
  private struct Entry {
    let value: Double
    let index: Int
  }

  private let window: Int
  private var index = 0
  /// Rising values: each is the lowest of those after the one before it.
  private var candidates: [Entry] = []

  /// - Parameter window: how many values count, the newest included.
  init(window: Int) {
    self.window = window
  }

  /// Takes a value and gives the lowest of the window.
  mutating func add(_ value: Double) -> Double {
    while let last = candidates.last, last.value >= value { candidates.removeLast() }
    candidates.append(Entry(value: value, index: index))
    if candidates[0].index + window <= index { candidates.removeFirst() }
    index += 1
    return candidates[0].value
  }
}
