/// Where a voice lies in what the device is given, and how much of it has been heard; in frames.
///
/// Silence that was inserted because its source was late is no part of the voice.
struct VoicePosition: Equatable {
  /// The device's frame that the voice begins at, nil before it was mixed.
  private(set) var startedAt: Int?
  /// The device's frame that it ends at, nil before its end was mixed.
  private(set) var endsAt: Int?
  /// What has been heard; it never goes back.
  private(set) var heard = 0
  /// What of it was given to the device.
  private(set) var mixed = 0
  /// The last silence inserted, in the device's frames, and the length of those before it.
  private var gap = 0..<0
  private var earlierGaps = 0

  /// So many frames were put at the device's frame `written`, and silence in the place of those
  /// that were missing.
  mutating func mix(_ frames: Int, missing: Int = 0, at written: Int) {
    if startedAt == nil { startedAt = written }
    mixed += frames
    guard missing > 0 else { return }
    let start = written + frames
    if frames == 0 && gap.upperBound == start {
      gap = gap.lowerBound..<(start + missing)
    } else {
      earlierGaps += gap.count
      gap = start..<(start + missing)
    }
  }

  /// Nothing of it follows after the device's frame `position`.
  mutating func end(at position: Int) {
    endsAt = position
  }

  /// The device has been heard up to the frame `position`.
  mutating func observe(_ position: Int) {
    guard let startedAt else { return }
    let silence = earlierGaps + max(0, min(position, gap.upperBound) - gap.lowerBound)
    heard = max(heard, min(mixed, position - startedAt - silence))
  }

  /// Whether it has been heard to its end where the device has been up to `position`.
  func isOver(_ position: Int) -> Bool {
    endsAt.map { position >= $0 } ?? false
  }

  /// It counts as heard to its end.
  mutating func finish() {
    if let endsAt { observe(endsAt) }
  }

  /// Whether silence that the device makes at the frame `position` falls within it.
  func contains(_ position: Int) -> Bool {
    guard let startedAt, startedAt < position else { return false }
    return endsAt.map { position < $0 } ?? true
  }
}
