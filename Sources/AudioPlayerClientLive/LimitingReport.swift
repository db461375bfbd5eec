/// When it is told how much the limiter turned down: once a second while it does, and when a sound
/// ends, so that nobody misses it; in frames.
struct LimitingReport: Equatable {
  private let interval: Int
  private var lowest: Float = 1
  private var since: Int?

  /// - Parameter interval: the frames of a second.
  init(interval: Int) {
    self.interval = interval
  }

  /// The limiter needed `gain` for the block that begins at the device's frame `position`.
  mutating func note(_ gain: Float, at position: Int) {
    guard gain < 1 else { return }
    lowest = min(lowest, gain)
    since = since ?? position
  }

  /// The lowest gain that has still to be told, nil where it is not time.
  func due(at position: Int, isEnding: Bool) -> Float? {
    guard let since, isEnding || position - since >= interval else { return nil }
    return lowest
  }

  /// Notes that it has been told.
  mutating func tell() {
    lowest = 1
    since = nil
  }
}
