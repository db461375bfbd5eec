import ArgumentParser
import AudioCore
import AudioThreads
import ClientDependencies
import FilePaths

/// A subcommand whose operands are one list of files.
protocol FileListSubcommand: Subcommand {
  var files: [FilePath] { get set }
}

extension RootCommand {
  /// Parses arguments like `parseAsRoot`, but in linear time for thousands of files.
  ///
  /// The parser's time grows with the square of the number of operands. Only arguments with errors
  /// still take that long.
  static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
    // `parseAsRoot` handles all other arguments, and reports every error.
    if let command = ShortenedArguments(arguments)?.parsed() { return command }
    return try parseAsRoot(arguments)
  }
}

/// Arguments in which a placeholder replaces the middle of each long run of operands.
struct ShortenedArguments {
  /// The maximum number of consecutive operands to keep; a longer run is shortened.
  private static let longestRun = 64
  /// The number of operands to keep before a placeholder; they can include a subcommand's name and
  /// the values of an option.
  private static let keptCount = 8

  private(set) var words: [String] = []
  private var middles: [ArraySlice<String>] = []

  /// Shortens each long run of operands; nil if there is none.
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
    // The last operand is kept, because it may be the output of a conversion.
    let middle = run.dropFirst(Self.keptCount).dropLast()
    guard run.count > Self.longestRun, let first = middle.first, let last = run.last else {
      words += run
      return
    }
    // A NUL makes the placeholder unique, because no argument of a process contains one. The name
    // of the first replaced file gives the placeholder a valid extension.
    words += run.prefix(Self.keptCount) + ["\0" + first, last]
    middles.append(middle)
  }

  /// Returns the command with its whole list of files; nil if it has no list or the arguments have
  /// an error.
  func parsed() -> (any ParsableCommand)? {
    guard var command = try? RootCommand.parseAsRoot(words) as? any FileListSubcommand,
      let files = completed(command.files)
    else { return nil }
    command.files = files
    // The parser has validated only the shortened list, so the whole list is validated here.
    do { try command.validate() } catch { return nil }
    return command
  }

  /// Returns the list with the replaced operands restored; nil if a placeholder is missing because
  /// it became the value of an option.
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

extension CommandContext {
  /// Processes several elements at a time, and passes the results on in the order of the elements.
  ///
  /// If one of several elements fails, the failure is reported, and the others are processed.
  ///
  /// - Parameters:
  ///   - elements: the elements to process, in order.
  ///   - jobs: the maximum number of elements to process at a time.
  ///   - showsProgress: whether a terminal shows the progress: within the element, or the number of
  ///     finished elements if several are processed at a time.
  ///   - inputs: returns the files of an element, so that an error can name the file.
  ///   - work: processes an element and shows its progress on the console; nil for no progress.
  ///   - whenFailed: called with an error that concerns one element, before it is reported.
  ///   - body: handles a result: reports missing output, and returns whether the output is
  ///     complete.
  /// - Throws: `CommandEnd.reported` after the last element if something was reported; the first
  ///   error that concerns the whole command.
  func forEachFile<Element: Sendable, Value: Sendable>(
    _ elements: [Element], jobs: Int, showsProgress: Bool = false,
    inputs: (Element) -> [FilePath],
    _ work: @escaping @Sendable (Element, _ progress: Console?) async throws -> Value,
    whenFailed: (Element, any Error) async throws -> Void = { _, _ in },
    _ body: (Element, Value) async throws -> Bool
  ) async throws {
    @Dependency(\.continuousClock) var clock
    let stopwatch = Stopwatch(clock)
    let isOneAtATime = elements.count == 1 || jobs == 1
    let progress = showsProgress && isOneAtATime ? console : nil
    var (hasFailed, done) = (false, 0)
    try await inOrder(elements, jobs: jobs) { element in
      do {
        return Result<Value, any Error>.success(try await work(element, progress))
      } catch {
        return .failure(error)
      }
    } _: { element, result in
      do {
        let isComplete = try await body(element, try result.get())
        hasFailed = hasFailed || !isComplete
      } catch let error where ErrorReport.isOfOneFile(error) {
        try await whenFailed(element, error)
        guard elements.count > 1 else { throw error }
        await console.report(ErrorReport.sentence(error, of: inputs(element)))
        hasFailed = true
      }
      done += 1
      if showsProgress, !isOneAtATime {
        await console.showStatus(
          countText(done, of: elements.count, after: stopwatch.elapsed()))
      }
    }
    await console.clearStatus()
    if hasFailed { throw CommandEnd.reported }
  }
}

/// Returns the number of finished files; after the first second, also the estimated remaining time.
func countText(_ done: Int, of count: Int, after elapsed: Duration) -> String {
  let text = "\(done) of \(count.counted("file"))"
  guard elapsed >= .seconds(1), (1..<count).contains(done) else { return text }
  let left = elapsed.inSeconds / Double(done) * Double(count - done)
  return "\(text), \(Duration.seconds(clamping: left).clockText) left"
}

/// Processes several elements at a time, and passes the results on in the order of the elements.
nonisolated(nonsending) func inOrder<Element: Sendable, Value: Sendable>(
  _ elements: [Element], jobs: Int, _ work: @escaping @Sendable (Element) async -> Value,
  _ body: (Element, Value) async throws -> Void
) async throws {
  try await withThrowingTaskGroup(of: (Int, Value).self) { group in
    var next = 0
    var finished: [Int: Value] = [:]
    for index in elements.indices {
      while true {
        // This limits the results that wait in memory for a slow element.
        while next < elements.count, next - index < 4 * jobs, next - index - finished.count < jobs {
          group.addTask { [next] in (next, await work(elements[next])) }
          next += 1
        }
        guard finished[index] == nil, let (number, value) = try await group.next() else { break }
        finished[number] = value
      }
      if let value = finished.removeValue(forKey: index) { try await body(elements[index], value) }
    }
  }
}
