import ArgumentParser
import FilePaths

/// A subcommand whose operands are one list of files.
protocol FileListSubcommand: Subcommand {
  var files: [FilePath] { get set }
}

extension RootCommand {
  /// Parses arguments as `parseAsRoot` does, in linear time for thousands of files.
  ///
  /// The parser's time grows with the square of the number of operands. Errors still take it.
  static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
    // A full parse decides the rest, and makes every error.
    if let command = ShortenedArguments(arguments)?.parsed() { return command }
    return try parseAsRoot(arguments)
  }
}

/// Arguments with a stand-in for the middle of each long run of operands.
struct ShortenedArguments {
  /// The number of operands that a run may have in full.
  private static let longestRun = 64
  /// The number of operands that stay in front of a stand-in: a subcommand's name and the values of
  /// an option are among them.
  private static let keptCount = 8

  private(set) var words: [String] = []
  private var middles: [ArraySlice<String>] = []

  /// Fails if no run is long.
  init?(_ arguments: [String]) {
    var rest = arguments[...]
    while !rest.isEmpty {
      let run = rest.prefix { $0.utf8.first.map { $0 != UInt8(ascii: "-") } ?? false }
      append(run)
      rest = rest[run.endIndex...]
      if let other = rest.popFirst() { words.append(other) }
    }
    guard !middles.isEmpty else { return nil }
  }

  private mutating func append(_ run: ArraySlice<String>) {
    // The last operand stays as well: it is the output of a conversion.
    let middle = run.dropFirst(Self.keptCount).dropLast()
    guard run.count > Self.longestRun, let first = middle.first, let last = run.last else {
      words += run
      return
    }
    // An argument of a process contains no NUL. The rest gives the stand-in a file's extension.
    words += run.prefix(Self.keptCount) + ["\0" + first, last]
    middles.append(middle)
  }

  /// The command with its whole list of files; nil if it has none, or if anything is wrong.
  func parsed() -> (any ParsableCommand)? {
    guard var command = try? RootCommand.parseAsRoot(words) as? any FileListSubcommand,
      let files = completed(command.files)
    else { return nil }
    command.files = files
    // The parser has validated only the shortened list.
    do { try command.validate() } catch { return nil }
    return command
  }

  /// The list with the middles in place of their stand-ins; nil if the list lacks one, which is
  /// then the value of an option.
  private func completed(_ files: [FilePath]) -> [FilePath]? {
    var (all, rest) = ([FilePath](), middles[...])
    for file in files {
      guard file.bytes.first == 0 else {
        all.append(file)
        continue
      }
      guard let middle = rest.popFirst() else { return nil }
      all += middle.map { FilePath($0) }
    }
    return rest.isEmpty ? all : nil
  }
}
