import ArgumentParser
import AudioPlayerClient
import AudioRecorderClient
import SpeechClient

/// Why a command ends without its job being done, where there is nothing more to say.
enum CommandEnd: Error, Equatable {
  /// What went wrong has been reported.
  case reported
  /// This signal asked for it.
  case interrupted(Int32)
}

/// A sentence of the command itself about what went wrong.
struct CommandFailure: Error, Equatable, CustomStringConvertible {
  let description: String

  /// A recording without a frame.
  static let noSound = CommandFailure(
    description: "the device came to its end before it gave any sound")
}

/// What is said about an error, and the exit status that it leads to.
///
/// 0: the job was done; 1: it was not; 64: wrong usage; 128 + n: signal n ended it, among them 141
/// for a reader of standard output that has gone (SIGPIPE, as with programs that do not handle it).
struct ErrorReport: Equatable {
  let sentence: String?
  let status: Int32

  private init(sentence: String? = nil, status: Int32) {
    self.sentence = sentence
    self.status = status
  }

  /// Nil for errors that ArgumentParser reports itself.
  init?(_ error: any Error) {
    switch error {
    case is ValidationError, is CleanExit, is ExitCode: return nil
    case CommandEnd.reported: self.init(status: 1)
    case CommandEnd.interrupted(let signal): self.init(status: StopSequence.status(signal))
    case let error as OutputError where error.isBrokenPipe: self.init(status: 141)
    case AudioRecorderError.brokenPipe: self.init(status: 141)
    // Nothing but the arguments asks for something.
    case SpeechClientError.invalidRequest: self.init(sentence: Self.sentence(error), status: 64)
    default: self.init(sentence: Self.sentence(error), status: 1)
    }
  }

  /// What an error says, and which option has led to it.
  static func sentence(_ error: any Error) -> String {
    if case AudioPlayerError.startBehindEnd = error { "\(error) (--start)" } else { "\(error)" }
  }
}
