import ArgumentParser
import AudioCore
import AudioPlayerClient
import AudioRecorderClient
import FilePaths
import SoundCard
import SoundFile
import SpeechClient
import SpeechServer

/// The early end of a command, with nothing left to report.
enum CommandEnd: Error, Equatable {
  /// The error has been reported.
  case reported
  /// A signal ended the command.
  case interrupted(Int32)
}

/// An error of the command itself.
struct CommandFailure: Error, Equatable, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }

  /// The failure of a recording that captured no frames.
  static let noSound = CommandFailure("the device ended before it captured any audio")
}

/// The message and the exit status for an error.
///
/// 0: success; 1: failure; 64: usage error; 128 + n: signal n ended the command. If the reader of
/// standard output is gone, the status is 141 (SIGPIPE), as for programs that do not handle that
/// signal.
struct ErrorReport: Equatable {
  let sentence: String?
  let status: Int32

  private init(sentence: String? = nil, status: Int32) {
    self.sentence = sentence
    self.status = status
  }

  /// Creates the report for an error; nil for errors that ArgumentParser reports.
  init?(_ error: any Error) {
    switch error {
    case is ValidationError, is CleanExit, is ExitCode: return nil
    case CommandEnd.reported: self.init(status: 1)
    case CommandEnd.interrupted(let signal): self.init(status: StopSignals.status(signal))
    case let error as OutputError where error.isBrokenPipe: self.init(status: 141)
    case AudioRecorderError.brokenPipe, SoundFileError.brokenPipe: self.init(status: 141)
    // A request depends only on the arguments, so this is a usage error.
    case SpeechClientError.invalidRequest: self.init(sentence: Self.sentence(error), status: 64)
    default: self.init(sentence: Self.sentence(error), status: 1)
    }
  }

  /// Returns the message for an error.
  ///
  /// The libraries do not know the command's options and subcommands, so this function appends the
  /// option or subcommand that can solve the problem.
  static func sentence(_ error: any Error) -> String {
    switch error {
    case AudioPlayerError.startAfterEnd: "\(error) (--start)"
    case SpeechServerError.remoteAddress: "\(error) (--allow-remote)"
    case AudioPlayerError.device(let id, let reason):
      reason + hint(on: id, reason, .playback, virtual: "virtual plays without hardware")
    case AudioRecorderError.device(let id, let reason):
      reason + hint(on: id, reason, .capture, virtual: "virtual:FILE captures a file")
    default: "\(error)"
    }
  }

  /// Returns the message for an error that concerns one or more of `files`.
  ///
  /// The message contains the name of at least one of these files.
  static func sentence(_ error: any Error, of files: [FilePath]) -> String {
    let sentence = sentence(error)
    let isNamed = files.contains { sentence.contains("\($0)") }
    return isNamed ? sentence : "\(files[0]): \(sentence)"
  }

  /// Whether the command can continue with its next file.
  ///
  /// It cannot continue without standard output, disk space, or an engine. However, `convert`
  /// continues after a full disk, because it removes its incomplete output.
  static func isOfOneFile(_ error: any Error) -> Bool {
    switch error {
    case SoundFileError.brokenPipe, SoundFileError.diskFull: false
    case is OutputError, is CommandEnd, is CancellationError: false
    case SpeechClientError.unavailable, SpeechClientError.noResources: false
    case SpeechClientError.invalidGrammar, SpeechClientError.invalidRequest: false
    default: true
    }
  }

  /// Returns advice on choosing a device, if there is none or the requested device is unknown.
  private static func hint(
    on id: AudioDevice.ID?, _ reason: String, _ direction: AudioDevice.Direction, virtual: String
  ) -> String {
    switch reason {
    case "\(SoundCardError.noSoundCard(direction))":
      "; `syrinx devices` lists the devices, and --device \(virtual)"
    case id.map { "\(SoundCardError.unknownDevice($0, direction))" }:
      "; `syrinx devices` lists the devices"
    default: ""
    }
  }
}
