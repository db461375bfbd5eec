import Logging

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
