import ArgumentParser

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

  func run() throws {
    throw ValidationError("A subcommand is missing.")
  }
}
