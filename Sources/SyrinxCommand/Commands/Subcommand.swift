import ArgumentParser
import AudioPlayerClient
import AudioThreads
import ClientDependencies
import Logging
import SoundCard
import Synchronization

/// A subcommand of `syrinx`: it does its job with the context that `run` makes.
protocol Subcommand: AsyncParsableCommand {
  var common: CommonOptions { get }

  /// Whether SIGUSR1 and SIGUSR2 say something to it; else it ends by them.
  static var takesCommandSignals: Bool { get }

  /// Changes what the job is done with.
  func prepare(_ values: inout DependencyValues) throws

  /// Does the job; every error it throws is reported and decides on the exit status.
  nonisolated(nonsending) func perform(in context: CommandContext) async throws
}

extension Subcommand {
  static var takesCommandSignals: Bool { false }

  func prepare(_ values: inout DependencyValues) throws {}

  func run() async throws {
    common.startLogging()
    let hurry = try WakeUp()
    let console = try Console(hurry: hurry)
    let signals = StopSignals(takesCommands: Self.takesCommandSignals, hurry: hurry)
    let context = CommandContext(console: console, signals: signals)
    try context.signals.start()
    do {
      try await performRouted(in: context)
    } catch {
      await console.keepStatus()
      guard let report = ErrorReport(error) else { throw error }
      if let sentence = report.sentence { await console.report(sentence) }
      throw ExitCode(report.status)
    }
  }

  private func performRouted(in context: CommandContext) async throws {
    @Dependency(\.soundCard) var hardware
    let soundCard = SoundCard.routing(to: hardware) { context.troubles.append($0) }
    do {
      try await withDependencies {
        $0.soundCard = soundCard
        // A command plays in the format of its file, and leaves no device open.
        $0.playbackIdleTime = .zero
        try prepare(&$0)
      } operation: {
        try await perform(in: context)
      }
    } catch {
      _ = await context.reportTroubles()
      throw error
    }
    guard await context.reportTroubles() else { throw CommandEnd.reported }
  }
}

/// What every subcommand works with.
struct CommandContext: Sendable {
  let console: Console
  let signals: StopSignals
  let troubles = FileTroubles()
  let log = Logger(label: "syrinx")

  /// Ends the command where a signal asked for that.
  func checkInterruption() throws(CommandEnd) {
    if let signal = signals.received { throw .interrupted(signal) }
  }

  /// Reports what was wrong with the files that were read; whether nothing was.
  func reportTroubles() async -> Bool {
    let troubles = troubles.all
    for trouble in troubles { await console.report("\(trouble)") }
    return troubles.isEmpty
  }

  /// Runs `body` as a task that the first signal cancels, so that it leaves nothing half done.
  func cancelledBySignals(_ body: @escaping @Sendable () async throws -> Void) async throws {
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

/// What was wrong with files that could be opened, for the end of the command.
final class FileTroubles: Sendable {
  // Held to append and to take, by a card's thread and the command.
  private let troubles = Mutex<[FileTrouble]>([])

  func append(_ trouble: FileTrouble) {
    troubles.withLock { $0.append(trouble) }
  }

  var all: [FileTrouble] { troubles.withLock { $0 } }
}
