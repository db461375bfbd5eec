import BenchmarkTools
import Foundation

/// The measured command, and how its time is measured.
enum Tool {
  /// The shortest wall time of some runs, in seconds.
  static func seconds(runs: Int = 2, _ body: () throws -> Void) rethrows -> Double {
    let times = try (0..<runs).map { _ in try ContinuousClock().measure(body) }
    return (times.min() ?? .zero) / .seconds(1)
  }

  /// The shortest wall time of some runs of a program whose output is dropped, in seconds.
  static func seconds(runs: Int = 2, _ arguments: [String]) throws -> Double {
    try seconds(runs: runs) { try Program.run(arguments, isSilent: true) }
  }
}
