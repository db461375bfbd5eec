import AudioCore
import SpeechClient

/// The line on the terminal that says how far a file has been transcribed.
///
/// It counts from its beginning, when the file's turn comes: what was understood before, while the
/// file waited for its turn, says nothing about the pace.
actor FileProgress {
  /// What comes so soon after the beginning was understood before.
  private static let catchingUp = Duration.milliseconds(100)

  private let text: ProgressText
  private let console: Console
  private let clock: any Clock<Duration>
  private var stopwatch: (@Sendable () -> Duration)?
  private var pace = StatusPace()
  private var start = Duration.zero

  init(text: ProgressText, console: Console, clock: any Clock<Duration>) {
    (self.text, self.console, self.clock) = (text, console, clock)
  }

  func begin() {
    stopwatch = Self.stopwatch(clock)
  }

  /// Shows that all is understood to this place, where it is time to.
  func show(_ place: Duration) async {
    guard let stopwatch else { return }
    let elapsed = stopwatch()
    if elapsed < Self.catchingUp { start = max(start, place) }
    guard let line = text.line(at: place, from: start, after: elapsed), pace.admits(elapsed)
    else { return }
    await console.showStatus(line)
  }

  func end() async {
    stopwatch = nil
    await console.clearStatus()
  }

  /// What the time since now will be.
  private static func stopwatch(_ clock: some Clock<Duration>) -> @Sendable () -> Duration {
    let start = clock.now
    return { start.duration(to: clock.now) }
  }
}

extension SpeechRecognitionEvent {
  /// Up to where in the audio all is understood, or lost; nil where it does not say.
  var place: Duration? {
    switch self {
    case .speechStarted(let time), .speechEnded(let time), .progressed(let time): time
    case .dropped(let stretch, _): stretch.upperBound
    default: nil
    }
  }
}

/// How far a file has been transcribed, in words.
struct ProgressText {
  let file: String
  /// The length of the file, nil where it is not known.
  let total: Duration?

  /// The line at a position in the audio, so long after the beginning at another one; nil in the
  /// first second, because short files need none.
  func line(
    at position: Duration, from start: Duration = .zero, after elapsed: Duration
  ) -> String? {
    guard elapsed >= .seconds(1) else { return nil }
    let speed = max(0, (position - start).inSeconds) / elapsed.inSeconds
    let tenths = Int((speed * 10).rounded())
    let pace = "\(tenths / 10).\(tenths % 10) times real time"
    guard let total, total > .zero else { return "\(file) \(position.clockText), \(pace)" }
    let percent = min(100, Int(position.inSeconds / total.inSeconds * 100))
    let line = "\(file) \(position.clockText) / \(total.clockText) (\(percent) %), \(pace)"
    guard speed > 0 else { return line }
    let left = Duration.seconds(max(0, (total - position).inSeconds) / speed)
    return "\(line), \(left.clockText) left"
  }
}
