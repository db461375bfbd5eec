/// When a device that is played out, or has all of a voice, has been waited for long enough.
///
/// It is given what it says that it needs, but no more than its buffer, and a quarter of a second.
/// A sound server that holds more than the buffer gets its time only while it is seen to play.
struct DrainClock {
  /// What to do now.
  enum Verdict: Equatable {
    case wait(Duration)
    case over
  }

  static let grace = Duration.milliseconds(250)
  private static let longestPause = Duration.milliseconds(50)
  private static let shortestPause = Duration.milliseconds(1)

  private let buffer: Duration
  private let latest: Duration
  private var deadline: Duration
  private var seen: (delay: Duration, time: Duration)

  /// The last frame was handed over at `time`, and the device said so much was still to be heard.
  init(delay: Duration, buffer: Duration, at time: Duration) {
    self.buffer = buffer
    deadline = time + min(delay, buffer) + Self.grace
    latest = time + delay + Self.grace
    seen = (delay, time)
  }

  /// The device says at `time` that so much is still to be heard.
  mutating func look(delay: Duration, at time: Duration) -> Verdict {
    if time >= deadline { putOff(delay, time) }
    guard time < deadline else { return .over }
    let pause = min(max(delay, Self.shortestPause), Self.longestPause)
    return .wait(min(pause, deadline - time))
  }

  private mutating func putOff(_ delay: Duration, _ time: Duration) {
    let isPlaying = (seen.delay - delay) * 2 >= time - seen.time
    guard isPlaying else { return }
    deadline = min(time + min(delay, buffer) + Self.grace, latest)
    seen = (delay, time)
  }
}
