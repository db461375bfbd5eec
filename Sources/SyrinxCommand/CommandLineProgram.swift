import ClientDependencies
import FilePaths
import Glibc
import SpeechEngine

/// The command as a program: it reads the arguments of the process and ends it with its status.
///
/// What it works with are the live values of the dependencies that are linked.
public enum CommandLineProgram {
  /// Does what the arguments say and ends the process.
  ///
  /// To be called first and on the main thread, because signals are set up for all later threads.
  ///
  /// - Parameter engines: makes the engines that `--engine` names; the usual one is that of
  ///   `\.speechEngine`.
  public static func run(engines: [EngineMaker] = []) -> Never {
    StandardDescriptor.reserveAll()
    // A reader that has gone shows as EPIPE, on which the command ends quietly.
    signal(SIGPIPE, SIG_IGN)
    StopSignals.block()
    let arguments = arguments
    Task {
      let status = await withDependencies {
        $0.engineMakers = engines
        $0.speechEngines = engines.map { $0.make(EngineSettings()) }
      } operation: {
        await RootCommand.run(arguments)
      }
      exit(status)
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
