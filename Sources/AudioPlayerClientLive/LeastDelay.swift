import AudioCore

/// What a device has still to play at least, by the room that it had and the time since: some claim
/// that nothing is left to be heard of what they took a moment ago.
struct LeastDelay {
  private let buffer: Int
  private let rate: SampleRate
  private var held = 0
  private var seenAt = Duration.zero

  init(buffer: FrameCount, rate: SampleRate) {
    self.buffer = buffer.rawValue
    self.rate = rate
  }

  /// The device has so much room at this time.
  mutating func saw(room: FrameCount, at time: Duration) {
    (held, seenAt) = (max(0, buffer - room.rawValue), time)
  }

  /// It has taken so many frames since.
  mutating func wrote(_ frames: FrameCount) {
    held = min(buffer, held + frames.rawValue)
  }

  /// It may hold nothing any more.
  mutating func forget() {
    held = 0
  }

  /// The frames that it cannot have played at this time.
  func frames(at time: Duration) -> Int {
    held > 0 ? max(0, held - FrameCount(time - seenAt, at: rate).rawValue) : 0
  }
}
