import ArgumentParser
import ClientDependencies
import FoundationEssentials

/// The option `--jobs`.
struct JobsOption: ParsableArguments {
  /// Each job has threads and memory of its own, so a larger number is a mistake.
  static let range = 1...256

  @Option(
    parsing: .unconditional,
    help: .value(
      "number", "Number of parallel jobs, 1 to \(range.upperBound) (default: one per processor)."))
  var jobs: Int?

  /// The requested number, or the number of processors that this process may use.
  var count: Int {
    @Dependency(\.settings) var settings
    return jobs ?? settings.jobs
      ?? min(Self.range.upperBound, max(1, ProcessInfo.processInfo.activeProcessorCount))
  }

  func validate() throws {
    try check("--jobs", jobs, in: Self.range, "a number")
  }
}
