import Dispatch
import Glibc

/// Measures what `ClientDependencies` costs: nanoseconds per operation, and the multiple of the
/// bare Swift operation in the same run.
///
/// ```sh
/// Tests/bench.sh
/// ```
///
/// Options:
/// - `--check`: exit with status 1 if an operation exceeds its limit.
/// - `--rounds 101`: how often everything is measured; the median counts.
/// - `--only text`: only the operation of that name; if there is none, those whose names contain
///   the text.
/// - `--count 100000`: run the operations this many times without measuring, for `valgrind`, whose
///   instruction counts do not depend on how busy the machine is. Run it with two counts, and
///   divide the difference of the instructions by the difference of the counts:
///
/// ```sh
/// cd Tests/Benchmarks
/// valgrind --tool=callgrind .build/release/DependencyBenchmarks --count 5000 --only "Key.self), live"
/// ```
///
/// No test depends on these figures, because no test may depend on how busy the machine is.
@main
struct DependencyBenchmarks {
  /// Waits on the main thread, because `valgrind` cannot handle a main thread that ends before the
  /// process.
  static func main() {
    let end = DispatchSemaphore(value: 0)
    Task.detached {
      await run()
      end.signal()
    }
    end.wait()
  }

  private static func run() async {
    let benchmarks = option("--only").map(Benchmark.named) ?? Benchmark.all
    if let count = option("--count").flatMap({ Int($0) }) {
      for benchmark in benchmarks { await benchmark.run(count) }
      return
    }
    let rounds = option("--rounds").flatMap { Int($0) } ?? 101
    let table = Table(measurements: await Measurement.all(of: benchmarks, rounds: rounds))
    print(table.text)
    if CommandLine.arguments.contains("--check"), !table.overLimit.isEmpty { exit(1) }
  }

  private static func option(_ name: String) -> String? {
    let arguments = CommandLine.arguments
    guard let index = arguments.firstIndex(of: name), arguments.indices.contains(index + 1) else {
      return nil
    }
    return arguments[index + 1]
  }
}

extension Benchmark {
  static var all: [Benchmark] { reads + scopes + calls + threads }

  static func named(_ text: String) -> [Benchmark] {
    let exact = all.filter { $0.name == text }
    return exact.isEmpty ? all.filter { $0.name.contains(text) } : exact
  }
}
