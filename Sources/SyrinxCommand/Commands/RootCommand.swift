import ArgumentParser
import FilePaths
import Glibc

/// `syrinx`: what all subcommands have in common, for its help.
struct RootCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "syrinx",
    abstract: "Plays, records and recognises sound.",
    discussion: """
      Data goes to standard output, everything for people to standard error.

      Exit status: 0 when the job was done; 1 when it was not, with the reason on standard error; \
      64 for wrong usage; 130 and 143 when Ctrl-C or SIGTERM ended it early; 141 when the reader of \
      standard output has gone.
      """,
    version: "0.1.0",
    subcommands: [
      DevicesCommand.self, PlayCommand.self, RecordCommand.self, TranscribeCommand.self,
      ListenCommand.self, ServeCommand.self, WERCommand.self, EnginesCommand.self,
    ])

  static var _errorLabel: String { "syrinx" }

  func run() throws {
    throw ValidationError("A subcommand is missing.")
  }

  /// Does what the arguments say; the exit status.
  static func run(_ arguments: [String]) async -> Int32 {
    do {
      var command = try parseAsRoot(arguments)
      if var subcommand = command as? any AsyncParsableCommand {
        try await subcommand.run()
      } else {
        try command.run()
      }
      return EXIT_SUCCESS
    } catch {
      return end(with: error)
    }
  }

  /// Writes the help that was asked for, or what was wrong with the arguments.
  private static func end(with error: any Error) -> Int32 {
    let (text, status) = (fullMessage(for: error), exitCode(for: error).rawValue)
    guard !text.isEmpty else { return status }
    do throws(OutputError) {
      let output = status == EXIT_SUCCESS ? StandardDescriptor.output : .error
      try output.write(text.printable + "\n")
      return status
    } catch {
      guard status == EXIT_SUCCESS, let report = ErrorReport(error) else { return status }
      if let sentence = report.sentence {
        try? StandardDescriptor.error.write("syrinx: \(sentence)\n")
      }
      return report.status
    }
  }
}
