import AudioCore
import AudioThreads
import ClientDependencies
import FilePaths
import SoundFile

/// Shows the progress of the work on a file as a status line.
///
/// The pace is measured from the call to `begin`, because the client may already have recognized a
/// part of the file by then.
actor FileProgress {
  /// The time after `begin` within which a result counts as recognized before `begin`.
  private static let catchingUp = Duration.milliseconds(100)

  private let file: String
  /// The length of the file, or nil if it is unknown.
  private let total: Duration?
  private let console: Console
  private let clock: any Clock<Duration>
  private var stopwatch: Stopwatch?
  private var throttle = StatusThrottle()
  private var start = Duration.zero
  /// The latest position; the events of an utterance that overlaps another may go back.
  private var reached = Duration.zero

  /// Creates the progress of a file; `total` is its length, or nil if it is unknown.
  init(_ file: FilePath, total: Duration?, console: Console) {
    @Dependency(\.continuousClock) var clock
    (self.file, self.total) = ("\(file.name)", total)
    (self.console, self.clock) = (console, clock)
  }

  func begin() {
    stopwatch = Stopwatch(clock)
  }

  /// Shows the position up to which the audio is processed, if an update is due.
  func show(_ position: Duration) async {
    guard let stopwatch else { return }
    reached = max(reached, position)
    let elapsed = stopwatch.elapsed()
    if elapsed < Self.catchingUp { start = reached }
    guard let line = Self.line(file, at: reached, of: total, from: start, after: elapsed),
      throttle.admits(elapsed)
    else { return }
    await console.showStatus(line)
  }

  func end() async {
    stopwatch = nil
    await console.clearStatus()
  }

  /// Returns the line for a position in the audio; nil in the first second, because short files
  /// need no progress.
  ///
  /// - Parameters:
  ///   - file: the name of the file.
  ///   - position: the position up to which the audio is processed.
  ///   - total: the length of the file, or nil if it is unknown.
  ///   - start: the position at `begin`, from which the pace is measured.
  ///   - elapsed: the time since `begin`.
  static func line(
    _ file: String, at position: Duration, of total: Duration?, from start: Duration = .zero,
    after elapsed: Duration
  ) -> String? {
    guard elapsed >= .seconds(1) else { return nil }
    let speed = max(0, (position - start).inSeconds) / elapsed.inSeconds
    let pace = "\(speed.tenths) times real time"
    guard let total, total > .zero else { return "\(file) \(position.clockText), \(pace)" }
    let share = position.inSeconds / total.inSeconds
    let percent = min(100, Int(clamping: (share * 100).rounded(.down)))
    let line = "\(file) \(position.clockText) / \(total.clockText) (\(percent)%), \(pace)"
    guard speed > 0 else { return line }
    let left = Duration.seconds(clamping: max(0, (total - position).inSeconds) / speed)
    return "\(line), \(left.clockText) left"
  }
}

extension FileProgress {
  /// Reports a position in the audio, and the total length or nil if it is unknown.
  typealias Report = @Sendable (_ position: Duration, _ total: Duration?) -> Void

  /// Runs the work on a file and shows its reported positions on a console.
  ///
  /// A slow terminal receives only the latest position.
  ///
  /// Without a console, nothing is shown.
  static func showing<Value>(
    _ file: FilePath, on console: Console?, _ work: (@escaping Report) async throws -> Value
  ) async throws -> Value {
    guard let console, console.isWatched else { return try await work { _, _ in } }
    let (positions, source) = AsyncStream.makeStream(
      of: (Duration, Duration?).self, bufferingPolicy: .bufferingNewest(1))
    async let showing: Void = show(positions, of: file, on: console)
    defer { source.finish() }
    let result = try await work { source.yield(($0, $1)) }
    source.finish()
    await showing
    return result
  }

  private static func show(
    _ positions: AsyncStream<(Duration, Duration?)>, of file: FilePath, on console: Console
  ) async {
    var progress: FileProgress?
    for await (position, total) in positions {
      if progress == nil {
        progress = FileProgress(file, total: total, console: console)
        await progress?.begin()
      }
      await progress?.show(position)
    }
    await progress?.end()
  }
}

/// The buffers of a file; reading each buffer reports the position.
typealias ObservedBuffers = AsyncMapSequence<
  AsyncThrowingStream<AudioBuffer, any Error>, AudioBuffer
>

extension FilePath {
  /// Reads the audio of a file, an address, or standard input, and shows the position.
  ///
  /// - Parameters:
  ///   - framesPerBuffer: the maximum number of frames of each buffer.
  ///   - problems: receives the shortfall of a truncated file.
  ///   - console: shows the progress; nil for none.
  ///   - body: processes the audio.
  func readAudio<Value>(
    framesPerBuffer: FrameCount, problems: FileProblems, progress console: Console?,
    _ body: (ObservedBuffers) async throws -> Value
  ) async throws -> Value {
    let total = console?.isWatched == true ? await announcedLength() : nil
    return try await FileProgress.showing(self, on: console) { report in
      let buffers = buffers(framesPerBuffer: framesPerBuffer, problems: problems).map { buffer in
        report(buffer.endFrame.duration(at: buffer.format.sampleRate), total)
        return buffer
      }
      return try await body(buffers)
    }
  }

  /// Returns the length in the header of a regular file; nil if there is none.
  ///
  /// A pipe is not opened, and an unreadable file is reported later.
  func announcedLength() async -> Duration? {
    guard self != "-", !isWebAddress else { return nil }
    @Dependency(\.rawInput) var raw
    return try? await DedicatedThread.run(name: "syrinx-length") {
      [raw] () throws -> Duration? in
      guard status?.isRegularFile == true else { return nil }
      let reader = try SoundFileReader(url: url, raw: raw)
      return reader.announcedFrameCount?.duration(at: reader.format.sampleRate)
    }
  }
}
