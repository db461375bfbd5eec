import ArgumentParser
import Logging

/// The options of every subcommand.
struct CommonOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Say on standard error what happens inside.")
  var verbose = false

  /// Sends the log to standard error, or nowhere.
  func startLogging() {
    LoggingSystem.bootstrap { [verbose] label in
      guard verbose else { return SwiftLogNoOpLogHandler() }
      var handler = StreamLogHandler.standardError(label: label)
      handler.logLevel = .debug
      return handler
    }
  }
}
