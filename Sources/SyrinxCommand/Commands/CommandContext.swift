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

  /// Reports what was wrong with the files that were heard; throws where one could not be heard to
  /// its end.
  func reportTroubles() async throws(CommandEnd) {
    var hasFailed = false
    for trouble in troubles.all {
      switch trouble {
      case .shortfall(let shortfall):
        await console.report("the file of the virtual microphone is too short: \(shortfall)")
      case .failure(let error):
        await console.report("the virtual microphone ended early: \(error)")
        hasFailed = true
      }
    }
    if hasFailed { throw .reported }
  }
}
