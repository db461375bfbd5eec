import AudioCore
import AudioThreads
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
    return "\(line), \(Duration.seconds(clamping: elapsed.inSeconds * left).clockText) left"
  }

  private func pace(_ audio: Duration, _ elapsed: Duration) -> String {
    let hours = (audio.inSeconds / 360).rounded() / 10
    let speed = elapsed > .zero ? (audio.inSeconds / elapsed.inSeconds).tenths : 0
    return "\(hours) hours of audio, \(speed) times real time"
  }
}

/// A file, or all files, in the output of `transcribe --json --output-dir`.
extension JSONRecord {
  /// The documentation of the JSON in the help.
  static let archiveSchema = """
    With --json and --output-dir, standard output has an object for each file, with an "event" \
    (transcribed or failed), the "file", and the "length" of its audio in seconds or the "error"; and at the \
    end one with the event finished and the numbers of files "transcribed", "failed", and "skipped" \
    by --resume.
    """
}
