/// A voice's position among the device's frames, and its playhead, both in frames.
///
/// Silence inserted because the source was late is not part of the voice.
struct VoicePlayhead: Equatable {
  /// The device frame at which the voice begins; nil before the voice was mixed.
  private(set) var startedAt: Int?
  /// The device frame at which the voice ends; nil before its end was mixed.
  private(set) var endsAt: Int?
  /// The played frames of the voice; never decreases.
  private(set) var played = 0
  /// The frames of the voice that were written to the device.
  private(set) var mixed = 0
  /// The last inserted silence, in device frames; `earlierGaps` is the total length of the silences
  /// before it.
  private var gap = 0..<0
  private var earlierGaps = 0

  /// Records that `frames` frames were mixed at the device frame `written`, followed by `missing`
  /// frames of silence.
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

  /// Sets the device frame at which the voice ends.
  mutating func end(at frame: Int) {
    endsAt = frame
  }

  /// Records that the device has played up to a frame.
  mutating func observe(_ frame: Int) {
    guard let startedAt else { return }
    let silence = earlierGaps + max(0, min(frame, gap.upperBound) - gap.lowerBound)
    played = max(played, min(mixed, frame - startedAt - silence))
  }

  /// Returns the voice's first device frame, plus the length of the inserted silence that ended
  /// before `frame`; nil before the voice was mixed.
  func origin(at frame: Int) -> Int? {
    startedAt.map { $0 + earlierGaps + (frame > gap.upperBound ? gap.count : 0) }
  }

  /// Whether the voice is over once the device has played up to this frame.
  func isOver(_ frame: Int) -> Bool {
    endsAt.map { frame >= $0 } ?? false
  }

  /// Counts the whole voice as played.
  mutating func finish() {
    if let endsAt { observe(endsAt) }
  }

  /// Whether silence that the device inserts at a frame falls within the voice.
  func contains(_ frame: Int) -> Bool {
    guard let startedAt, startedAt < frame else { return false }
    return endsAt.map { frame < $0 } ?? true
  }

  /// Returns the number of device frames in a range that belong to the voice.
  func frames(within range: Range<Int>) -> Int {
    guard let startedAt else { return 0 }
    return max(0, min(endsAt ?? .max, range.upperBound) - max(startedAt, range.lowerBound))
  }
}

/// The deadline for the end of a voice whose last frame has been written to the device.
///
/// The time limit is the delay that the device reports, at most the length of its buffer, plus a
/// quarter of a second. A sound server may hold more frames than its buffer; the limit is then
/// extended while the reported delay decreases, and while the server pauses with unread frames.
struct PlayoutDeadline {
  private static let grace = Duration.milliseconds(250)

  private let buffer: Duration
  private let latest: Duration
  private var deadline: Duration
  private var last: (delay: Duration, time: Duration)

  /// Creates the deadline for a device that got the last frame at `time` and then reported `delay`.
  init(delay: Duration, buffer: Duration, at time: Duration) {
    self.buffer = buffer
    deadline = time + min(delay, buffer) + Self.grace
    latest = time + delay + Self.grace
    last = (delay, time)
  }

  /// Returns how much longer to wait for the end; nil if the deadline has passed.
  ///
  /// `delay` is the delay that the device reports at `time`. `patience` extends the wait for a
  /// device that may pause, such as a sound server; it is zero for other devices.
  mutating func timeLeft(
    delay: Duration, patience: Duration = .zero, at time: Duration
  ) -> Duration? {
    if time >= deadline { extend(delay, time) }
    if time >= deadline, patience > .zero {
      deadline = max(deadline, min(time + min(delay, buffer) + Self.grace, latest + patience))
      last = (delay, time)
    }
    return time < deadline ? deadline - time : nil
  }

  private mutating func extend(_ delay: Duration, _ time: Duration) {
    let isPlaying = (last.delay - delay) * 2 >= time - last.time
    guard isPlaying else { return }
    deadline = min(time + min(delay, buffer) + Self.grace, latest)
    last = (delay, time)
  }
}
