#if !Command
#error("Build the command with its traits: swift build --traits Development")
#endif

import ArgumentParser
import AudioThreads
import ClientDependencies
import FilePaths
import Glibc
public import SpeechEngine
import SpeechServer

/// Runs the command as a program: parses the arguments of the process and ends it with an exit
/// status.
///
/// It uses the live values of the linked dependencies.
public enum CommandLineProgram {
  /// Runs the command and ends the process.
  ///
  /// Call this first and on the main thread, because it sets the signal mask for all later threads.
  /// The version and the help of the whole command are printed without evaluating any parameter.
  ///
  /// - Parameters:
  ///   - engines: the engines that `--engine` names.
  ///   - defaultEngine: the engine to use without `--engine`; nil for the engine of
  ///     `\.speechEngine`.
  ///   - detector: finds the utterances for all engines.
  ///   - preparation: how `syrinx engines install` prepares a model.
  public static func run(
    engines: @autoclosure @escaping @Sendable () -> [EngineMaker] = [],
    defaultEngine: @autoclosure @escaping @Sendable () -> EngineMaker? = nil,
    detector: @autoclosure @escaping @Sendable () -> SpeechActivityDetector = .energy,
    preparation: @autoclosure @escaping @Sendable () -> EnginePreparation? = nil
  ) -> Never {
    OutputDescriptor.reserveAll()
    // If the reader is gone, a write fails with EPIPE and the command ends quietly.
    signal(SIGPIPE, SIG_IGN)
    let arguments = arguments
    if let text = RootCommand.requestedText(arguments) {
      quick_exit(RootCommand.end(with: text, status: EXIT_SUCCESS))
    }
    StopSignals.block()
    discardLibraryOutput()
    Task {
      let status = await withDependencies {
        $0.engineMakers = EngineMakers(
          named: engines(), defaultEngine: defaultEngine(), preparation: preparation())
        $0.speechActivityDetector = detector()
      } operation: {
        await RootCommand.run(arguments)
      }
      // `exit` would run ONNX Runtime's destructors while a canceled task's thread still loads a
      // model.
      quick_exit(status)
    }
    // An asynchronous `main` would wait in Dispatch, which unblocks all signals.
    StopSignals.receiveForever()
  }

  /// The arguments of the process as `FilePath` text: `CommandLine.arguments` replaces every byte
  /// that is not UTF-8 with the same character.
  private static var arguments: [String] {
    (1..<max(1, Int(CommandLine.argc))).compactMap { index in
      CommandLine.unsafeArgv[index].map { FilePath(cString: $0).text }
    }
  }
}

/// `syrinx` without a subcommand: help and version.
struct RootCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "syrinx",
    abstract: "Play, record, and recognize sound.",
    discussion: """
      Examples:
        syrinx play talk.flac
        syrinx record take.wav --seconds 10
        syrinx transcribe talk.wav --format srt

      Data goes to standard output, messages to standard error.

      Exit status: 0 on success; 1 on failure, with the reason on standard error; 64 for wrong \
      usage; 130 and 143 if Ctrl-C or SIGTERM ended the command early; 141 if the reader of \
      standard output is gone.
      """,
    version: SyrinxVersion.current,
    subcommands: [
      DevicesCommand.self, PlayCommand.self, RecordCommand.self, TranscribeCommand.self,
      ListenCommand.self, InfoCommand.self, ConvertCommand.self, MeasureCommand.self,
      ServeCommand.self, WERCommand.self, EnginesCommand.self, ConfigCommand.self,
      DoctorCommand.self,
    ] + plotting)

  #if Plots
  private static let plotting: [any ParsableCommand.Type] = [PlotCommand.self]
  #else
  private static let plotting: [any ParsableCommand.Type] = []
  #endif

  static var _errorLabel: String { "syrinx" }

  func run() throws {
    throw ValidationError("A subcommand is missing.")
  }

  /// Runs the subcommand that the arguments name and returns the exit status.
  static func run(_ arguments: [String]) async -> Int32 {
    var command: any ParsableCommand
    do {
      if let error = RootCommand.nameError(in: arguments) { throw error }
      command = try parsed(arguments)
    } catch {
      return end(withUsageError: error, arguments)
    }
    do {
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

  /// Returns the version, or the help of the whole command, if the arguments request nothing else.
  ///
  /// It uses neither the parser nor a thread, so that the text is printed at once.
  static func requestedText(_ arguments: [String]) -> String? {
    switch arguments {
    case ["--version"]: SyrinxVersion.current
    case ["help"], ["--help"], ["-h"]: renderedHelp(helpMessage())
    default: nil
    }
  }

  /// Writes the requested text, or an error about the arguments, and returns the exit status.
  ///
  /// An unknown option is reported instead of the parser's error, because the option may have caused
  /// that error.
  private static func end(withUsageError error: any Error, _ arguments: [String]) -> Int32 {
    let (command, rest) = commandName(in: arguments)
    guard exitCode(for: error) != .success, arguments.first != "help",
      let options = KnownOptions(of: command), let unknown = options.unknownOption(in: rest)
    else { return end(with: error) }
    let names = ["syrinx"] + arguments.prefix(arguments.count - rest.count)
    let remedy = unknown.suggestion.map { "did you mean \($0)?" }
    let message = fullMessage(for: error)
    // The usage is at the end of the parser's message.
    let usage = message.firstRange(of: "\nUsage: ").map { message[$0.lowerBound...] } ?? ""
    return end(
      with: """
        syrinx: there is no option \(unknown.name.printableLine); \
        \(remedy ?? "`\(names.joined(separator: " ")) --help` lists the options.")\(usage)
        """, status: exitCode(for: error).rawValue)
  }

  /// Returns the command that the first arguments name, and the arguments after its name.
  private static func commandName(
    in arguments: [String]
  ) -> (any ParsableCommand.Type, ArraySlice<String>) {
    var command: any ParsableCommand.Type = RootCommand.self
    var rest = arguments[...]
    while let word = rest.first,
      let next = command.configuration.subcommands.first(where: { $0._commandName == word })
    {
      command = next
      rest = rest.dropFirst()
    }
    return (command, rest)
  }

  /// Writes the error's message, which is the help if the arguments request help, and returns the
  /// exit status.
  private static func end(with error: any Error) -> Int32 {
    let text = renderedHelp(fullMessage(for: error))
    let status = exitCode(for: error).rawValue
    return text.isEmpty ? status : end(with: text, status: status)
  }

  /// Writes a text to standard output, or if `status` is an error, to standard error; returns the
  /// exit status.
  static func end(with text: String, status: Int32) -> Int32 {
    do throws(OutputError) {
      let output = status == EXIT_SUCCESS ? OutputDescriptor.output : .error
      try output.write(text.printable + "\n")
      return status
    } catch {
      guard status == EXIT_SUCCESS, let report = ErrorReport(error) else { return status }
      if let sentence = report.sentence {
        try? OutputDescriptor.error.write("syrinx: \(sentence)\n")
      }
      return report.status
    }
  }
}

extension RootCommand {
  /// Rearranges the help in a message of swift-argument-parser: usage, examples, keys, and options;
  /// any other message is unchanged.
  ///
  /// swift-argument-parser puts the whole discussion first. The prose of the discussion belongs to
  /// the manual only, which is made from `--experimental-dump-help`.
  ///
  /// - Parameter message: the rendered message.
  static func renderedHelp(_ message: String) -> String {
    let paragraphs = message.split(separator: "\n\n")
    guard let overview = paragraphs.first, overview.hasPrefix(overviewTitle),
      let usage = paragraphs.firstIndex(where: { $0.hasPrefix(usageTitle) })
    else { return message }
    let lists = ["Examples:\n", "Keys:\n"]
    let examples = paragraphs[..<usage].filter { paragraph in
      lists.contains { paragraph.hasPrefix($0) }
    }
    let words = paragraphs[usage].dropFirst(usageTitle.count).split(whereSeparator: \.isWhitespace)
    let command = words.prefix { $0.first?.isLetter == true }.joined(separator: "-")
    let parts =
      [paragraphs[usage], overview.dropFirst(overviewTitle.count)] + examples
      + paragraphs[(usage + 1)...] + ["For details, see `man \(command)`."]
    return parts.map { $0.hasSuffix("\n") ? $0.dropLast() : $0 }.joined(separator: "\n\n")
  }

  private static let overviewTitle = "OVERVIEW: "
  private static let usageTitle = "USAGE: "
}

extension RootCommand {
  /// Returns an error if the arguments name no subcommand; it suggests the most similar name.
  fileprivate static func nameError(in arguments: [String]) -> ValidationError? {
    var command: any ParsableCommand.Type = RootCommand.self
    for word in arguments where word != "help" {
      let subcommands = command.configuration.subcommands
      guard !subcommands.isEmpty, !word.hasPrefix("-") else { return nil }
      if let next = subcommands.first(where: { $0._commandName == word }) {
        command = next
        continue
      }
      let nearest = subcommands.map { $0._commandName }.min { first, second in
        word.distance(to: first) < word.distance(to: second)
      }
      let meant = nearest.flatMap { word.distance(to: $0) <= 2 ? "; did you mean \"\($0)\"?" : nil }
      return ValidationError(
        "there is no subcommand \"\(word)\"\(meant ?? "; `syrinx help` lists the subcommands.")")
    }
    return nil
  }
}
