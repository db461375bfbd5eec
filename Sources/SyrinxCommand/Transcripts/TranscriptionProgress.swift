import AudioCore
import AudioThreads
import ClientDependencies
import FilePaths

/// Counts the outcomes of many files, and shows the progress as a status line.
actor ArchiveProgress {
  /// The counts of files, and the audio of those that were transcribed.
  struct Counts: Equatable {
    var transcribed = 0
    var failed = 0
    var skipped = 0
    var audio = Duration.zero

    var all: Int { transcribed + failed + skipped }
  }

  private(set) var counts = Counts()
  /// Nil if no line is shown.
  private let console: Console?
  private let stopwatch: Stopwatch
  private var throttle = StatusThrottle()
  private var workedBytes = 0
  private var skippedBytes = 0
  private var total: (count: Int, byteCount: Int)?

  /// - Parameter console: the console that shows the progress; nil for none.
  init(console: Console?, clock: any Clock<Duration>) {
    self.console = console
    stopwatch = Stopwatch(clock)
  }

  /// Whether a line shows the progress.
  nonisolated var isShown: Bool { console?.isWatched == true }

  /// Counts all files beside the work, for the end to be estimated.
  func count(_ inputs: TranscriptionInputs) async {
    guard isShown, inputs.isRepeatable else { return }
    // What cannot be read is reported by the work.
    total = try? await DedicatedThread.run(name: "syrinx-count") {
      () throws -> (count: Int, byteCount: Int) in
      var all = try inputs.makeIterator()
      var total = (count: 0, byteCount: 0)
      while let input = try? all.next() {
        total.count += 1
        total.byteCount += (try? input.get())?.version?.byteCount ?? 0
      }
      return total
    }
  }

  /// Sets what the queue has skipped so far.
  func setSkipped(_ skipped: (count: Int, byteCount: Int)) {
    (counts.skipped, skippedBytes) = (skipped.count, skipped.byteCount)
  }

  /// Adds a file and its audio; nil for a file that failed.
  func add(_ input: TranscriptionInput, audio: Duration?) async {
    counts.transcribed += audio == nil ? 0 : 1
    counts.failed += audio == nil ? 1 : 0
    counts.audio += audio ?? .zero
    workedBytes += input.version?.byteCount ?? 0
    await show()
  }

  /// Shows the progress, if an update is due.
  ///
  /// - Parameter position: the position in the file whose results are read.
  func show(at position: Duration = .zero) async {
    let elapsed = stopwatch.elapsed()
    guard isShown, throttle.admits(elapsed) else { return }
    await console?.showStatus(line(after: elapsed, at: position))
  }

  /// The summary at the end of the run.
  var summary: String {
    let pace = pace(counts.audio, stopwatch.elapsed())
    var parts = ["\(counts.transcribed) files transcribed, \(pace)"]
    if counts.skipped > 0 { parts.append("\(counts.skipped) were done before") }
    if counts.failed > 0 { parts.append("\(counts.failed) failed") }
    return parts.joined(separator: "; ")
  }

  private func line(after elapsed: Duration, at position: Duration) -> String {
    let files = total.map { "\(counts.all) of \($0.count) files" } ?? "\(counts.all) files"
    let line = "\(files), \(pace(counts.audio + position, elapsed))"
    guard let total, workedBytes > 0 else { return line }
    let left = Double(max(0, total.byteCount - skippedBytes - workedBytes)) / Double(workedBytes)
    return "\(line), \(Duration.seconds(elapsed.inSeconds * left).clockText) left"
  }

  private func pace(_ audio: Duration, _ elapsed: Duration) -> String {
    let hours = (audio.inSeconds / 360).rounded() / 10
    let speed = elapsed > .zero ? (audio.inSeconds / elapsed.inSeconds).tenths : 0
    return "\(hours) hours of audio, \(speed) times real time"
  }
}

/// A file, or all files, in the output of `transcribe --json --output-dir`.
struct ArchiveRecord: Encodable {
  let event: String
  var file: FilePath?
  var length: Double?
  var error: String?
  var transcribed: Int?
  var failed: Int?
  var skipped: Int?

  /// The documentation of the JSON in the help.
  static let schema = """
    With --json and --output-dir, standard output has an object for each file, with an "event" \
    (transcribed or failed), the "file", and the "length" of its audio in seconds or the "error"; and at the \
    end one with the event finished and the numbers of files "transcribed", "failed", and "skipped" \
    by --resume.
    """
}

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
