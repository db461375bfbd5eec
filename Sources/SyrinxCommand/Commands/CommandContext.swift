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
}
