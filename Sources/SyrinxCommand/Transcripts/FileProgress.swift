import AudioCore
import AudioThreads
import ClientDependencies
import FilePaths

/// Shows the progress of a file's transcription as a status line.
///
/// The pace counts from `begin`, when the results of the file are read: the client may have
/// recognized a part of the file before.
actor FileProgress {
  /// Results that arrive so soon after the beginning were recognized before.
  private static let catchingUp = Duration.milliseconds(100)

  private let text: ProgressText
  private let console: Console
  private let clock: any Clock<Duration>
  private var stopwatch: Stopwatch?
  private var throttle = StatusThrottle()
  private var start = Duration.zero

  /// - Parameter total: the length of the file, or nil if it is unknown.
  init(_ file: FilePath, total: Duration?, console: Console) {
    @Dependency(\.continuousClock) var clock
    text = ProgressText(file: "\(file.name)", total: total)
    (self.console, self.clock) = (console, clock)
  }

  func begin() {
    stopwatch = Stopwatch(clock)
  }

  /// Shows that the audio is recognized up to this position, if an update is due.
  func show(_ position: Duration) async {
    guard let stopwatch else { return }
    let elapsed = stopwatch.elapsed()
    if elapsed < Self.catchingUp { start = max(start, position) }
    guard let line = text.line(at: position, from: start, after: elapsed),
      throttle.admits(elapsed)
    else { return }
    await console.showStatus(line)
  }

  func end() async {
    stopwatch = nil
    await console.clearStatus()
  }
}

/// The text of a file's progress.
struct ProgressText {
  let file: String
  /// The length of the file, or nil if it is unknown.
  let total: Duration?

  /// The line for a position in the audio, so long after transcription began at another position;
  /// nil in the first second, because short files need none.
  func line(
    at position: Duration, from start: Duration = .zero, after elapsed: Duration
  ) -> String? {
    guard elapsed >= .seconds(1) else { return nil }
    let speed = max(0, (position - start).inSeconds) / elapsed.inSeconds
    let pace = "\(speed.tenths) times real time"
    guard let total, total > .zero else { return "\(file) \(position.clockText), \(pace)" }
    let percent = min(100, Int(position.inSeconds / total.inSeconds * 100))
    let line = "\(file) \(position.clockText) / \(total.clockText) (\(percent)%), \(pace)"
    guard speed > 0 else { return line }
    let left = Duration.seconds(max(0, (total - position).inSeconds) / speed)
    return "\(line), \(left.clockText) left"
  }
}
