import ArgumentParser
import AudioThreads
import ClientDependencies
import FilePaths
import Glibc
public import SpeechEngine

/// The command as a program: it reads the arguments of the process and ends it with its status.
///
/// What it works with are the live values of the dependencies that are linked.
public enum CommandLineProgram {
  /// Does what the arguments say and ends the process.
  ///
  /// To be called first and on the main thread, because signals are set up for all later threads.
  ///
  /// - Parameters:
  ///   - engines: makes the engines that `--engine` names.
  ///   - usual: makes the one that is used where none is named; nil for that of `\.speechEngine`.
  ///   - detector: finds the utterances for all of them.
  ///   - preparation: what `syrinx engines install` does with a model.
  public static func run(
    engines: [EngineMaker] = [], usual: EngineMaker? = nil,
    detector: SpeechActivityDetector = .energy, preparation: EnginePreparation? = nil
  ) -> Never {
    StandardDescriptor.reserveAll()
    // A reader that has gone shows as EPIPE, on which the command ends quietly.
    signal(SIGPIPE, SIG_IGN)
    StopSignals.block()
    discardLibraryOutput()
    let arguments = arguments
    Task {
      let status = await withDependencies {
        $0.engineMakers = EngineMakers(named: engines, usual: usual)
        $0.enginePreparation = preparation
        $0.speechActivityDetector = detector
      } operation: {
        await RootCommand.run(arguments)
      }
      // The destructors that `exit` runs would take ONNX Runtime away under a thread that still loads a
      // model for a task that was cancelled.
      quick_exit(status)
    }
    // The main thread of an asynchronous `main` would wait in Dispatch with all signals unblocked.
    while true { pause() }
  }

  /// What the process was started with, in the text of `FilePath`: `CommandLine.arguments` puts one
  /// and the same character in the place of all bytes that are not UTF-8.
  private static var arguments: [String] {
    (1..<max(1, Int(CommandLine.argc))).compactMap { index in
      CommandLine.unsafeArgv[index].map { FilePath(cString: $0).text }
    }
  }
}

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
