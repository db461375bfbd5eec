import BenchmarkTools
import Foundation

/// Measures the time of commands.
enum Tool {
  /// Returns the shortest wall time of several runs, in seconds.
  static func seconds(runs: Int = 2, _ body: () throws -> Void) rethrows -> Double {
    let times = try (0..<runs).map { _ in try ContinuousClock().measure(body) }
    return (times.min() ?? .zero) / .seconds(1)
  }

  /// Returns the shortest wall time of several runs of a program whose output is discarded, in
  /// seconds.
  static func seconds(runs: Int = 2, _ arguments: [String]) throws -> Double {
    try seconds(runs: runs) { try Program.run(arguments, isSilent: true) }
  }
}
