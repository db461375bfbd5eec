import ArgumentParser
import FilePaths
import FoundationEssentials

/// The option `--jobs` of a command that works on whole files.
struct FileJobsOption: ParsableArguments {
  /// Each file has threads of its own, so a larger number is a mistake.
  private static let limit = 256

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Number of files in parallel, 1 to \(limit) (default: one per processor).",
      valueName: "number"))
  var jobs: Int?

  /// The requested number, or the number of processors that this process may use.
  var count: Int {
    jobs ?? min(Self.limit, max(1, ProcessInfo.processInfo.activeProcessorCount))
  }

  func validate() throws {
    try check("--jobs", jobs, in: 1...Self.limit, "a number")
  }
}

/// Throws if standard input is named twice.
func checkStandardInput(_ files: [FilePath]) throws {
  let pipes = files.count { $0 == "-" }
  guard pipes < 2 else {
    throw ValidationError("standard input (-) can be read only once, not \(pipes) times.")
  }
}

/// Works on several elements at a time, and hands the results over in the order of the elements.
nonisolated(nonsending) func inOrder<Element: Sendable, Value: Sendable>(
  _ elements: [Element], jobs: Int, _ work: @escaping @Sendable (Element) async -> Value,
  _ body: (Element, Value) async throws -> Void
) async throws {
  try await withThrowingTaskGroup(of: (Int, Value).self) { group in
    var next = 0
    var finished: [Int: Value] = [:]
    for index in elements.indices {
      // A slow element must not let the results of all others wait in memory.
      while next < elements.count, next - index < 4 * jobs, next - index - finished.count < jobs {
        group.addTask { [next] in (next, await work(elements[next])) }
        next += 1
      }
      while finished[index] == nil, let (number, value) = try await group.next() {
        finished[number] = value
        if next < elements.count, next - index < 4 * jobs {
          group.addTask { [next] in (next, await work(elements[next])) }
          next += 1
        }
      }
      if let value = finished.removeValue(forKey: index) { try await body(elements[index], value) }
    }
  }
}
