import ArgumentParser
import AudioCore
import AudioPlayerClient
import AudioThreads
import ClientDependencies
import FilePaths
import Logging
import SoundCard
import SoundFile
import Synchronization

/// A subcommand of `syrinx`.
protocol Subcommand: AsyncParsableCommand {
  var common: CommonOptions { get }

  /// Whether SIGUSR1 and SIGUSR2 control the subcommand; otherwise they end it.
  var takesCommandSignals: Bool { get }

  /// Whether a failure is also printed as a JSON object.
  var printsFailureAsJSON: Bool { get }

  /// The format of inputs without a header; nil if inputs have headers.
  var rawInput: RawAudioFormat? { get }

  /// Replaces dependencies before `perform`.
  func prepare(_ values: inout DependencyValues) throws

  /// Does the work of the subcommand; a thrown error is reported and determines the exit status.
  nonisolated(nonsending) func perform(in context: CommandContext) async throws
}

extension Subcommand {
  var takesCommandSignals: Bool { false }

  var printsFailureAsJSON: Bool { false }

  var rawInput: RawAudioFormat? { nil }

  func prepare(_ values: inout DependencyValues) throws {}

  func run() async throws {
    common.startLogging()
    let stopSignal = try WakeUp()
    let console = try Console(stopSignal: stopSignal, isQuiet: common.quiet)
    let signals = StopSignals(takesCommands: takesCommandSignals, stopSignal: stopSignal)
    let context = CommandContext(console: console, signals: signals)
    signals.start()
    do {
      @Dependency(\.settings) var settings
      if let problem = settings.problem { throw problem }
      try await performRouted(in: context)
    } catch {
      await console.keepStatus()
      guard let report = ErrorReport(error) else { throw error }
      if let sentence = report.sentence {
        await console.report(sentence)
        // A failed write is ignored, because the exit status already reports a failure.
        if printsFailureAsJSON {
          try? await console.print(JSONRecord(error: sentence).jsonLine())
        }
      }
      throw ExitCode(report.status)
    }
  }

  private func performRouted(in context: CommandContext) async throws {
    @Dependency(\.soundCard) var hardware
    let soundCard = SoundCard.routing(to: hardware) { context.problems.append($0) }
    do {
      try await withDependencies {
        $0.soundCard = soundCard
        // With an idle time, the player would choose the device's format for later sounds, but a
        // command plays no later sounds.
        $0.playbackIdleTime = .zero
        $0.rawInput = rawInput
        try prepare(&$0)
      } operation: {
        try await perform(in: context)
      }
    } catch {
      _ = await context.reportProblems()
      throw error
    }
    guard await context.reportProblems() else { throw CommandEnd.reported }
  }
}

/// The services that every subcommand uses.
struct CommandContext: Sendable {
  let console: Console
  let signals: StopSignals
  let problems = FileProblems()
  let log = Logger(label: "syrinx")

  /// Throws if a signal has requested the end of the command.
  func checkInterruption() throws(CommandEnd) {
    if let signal = signals.received { throw .interrupted(signal) }
  }

  /// Reports the problems of files; returns false if any audio is missing.
  func reportProblems() async -> Bool {
    for problem in problems.all { await console.report("\(problem)") }
    return problems.isComplete
  }

  /// Runs `body` as a task that the first signal cancels, so that the command can clean up.
  func canceledBySignals(_ body: @escaping @Sendable () async throws -> Void) async throws {
    // The signals must be accepted before the work begins, because the work may acquire a lock that
    // is released only when the work ends normally.
    signals.begin()
    let work = Task { try await body() }
    try await signals.finishing(with: { work.cancel() }) {
      do {
        try await work.value
      } catch is CancellationError {
        try checkInterruption()
      }
    }
  }
}

/// A problem with a file that was opened, reported at the end of the command.
enum FileProblem: Equatable, Sendable, CustomStringConvertible {
  /// The file is truncated.
  case shortfall(SoundFileShortfall, file: FilePath)
  /// The file has a peculiarity, but its audio is complete.
  case notice(SoundFileNotice, file: FilePath)
  /// A virtual microphone could not read the file to its end.
  case failure(SoundFileError)

  /// A human-readable sentence.
  var description: String {
    switch self {
    case .shortfall(let shortfall, let file): "\(file) is incomplete: \(shortfall)"
    case .notice(let notice, let file): "\(file): \(notice)"
    case .failure(let error): "the virtual microphone ended early: \(error)"
    }
  }
}

/// Collects problems of files, which are reported when the command ends.
final class FileProblems: Sendable {
  // The lock is held only to append or read a problem, by an audio thread or the command.
  private let problems = Mutex<[FileProblem]>([])

  func append(_ problem: FileProblem) {
    problems.withLock { $0.append(problem) }
  }

  var all: [FileProblem] { problems.withLock { $0 } }

  /// Whether no audio is missing.
  var isComplete: Bool {
    all.allSatisfy { problem in if case .notice = problem { true } else { false } }
  }
}

extension FilePath {
  /// Returns the audio of a file, an address, or standard input; truncated audio is recorded as a
  /// problem.
  func buffers(
    framesPerBuffer: FrameCount = 4096, problems: FileProblems
  ) -> AsyncThrowingStream<AudioBuffer, any Error> {
    let report = { @Sendable [shownName] (shortfall: SoundFileShortfall) in
      problems.append(.shortfall(shortfall, file: shownName))
    }
    let note = { @Sendable [shownName] (notice: SoundFileNotice) in
      problems.append(.notice(notice, file: shownName))
    }
    @Dependency(\.rawInput) var raw
    return self == "-"
      ? SoundFile.buffers(
        ofFileDescriptor: 0, raw: raw, framesPerBuffer: framesPerBuffer, onShortfall: report,
        onNotice: note)
      : SoundFile.buffers(
        of: source, raw: raw, framesPerBuffer: framesPerBuffer, onShortfall: report, onNotice: note)
  }
}
