import ArgumentParser
import Glibc

/// The command as a program: it reads the arguments of the process and ends it with its status.
///
/// What it works with are the live values of the dependencies that are linked.
public enum CommandLineProgram {
  /// Does what the arguments say and ends the process.
  ///
  /// To be called first and on the main thread, because signals are set up for all later threads.
  public static func run() -> Never {
    StandardDescriptor.reserveAll()
    // A reader that has gone shows as EPIPE, on which the command ends quietly.
    signal(SIGPIPE, SIG_IGN)
    StopSignals.block()
    Task {
      await RootCommand.main()
      exit(EXIT_SUCCESS)
    }
    // The main thread of an asynchronous `main` would wait in Dispatch with all signals unblocked.
    while true { pause() }
  }
}
