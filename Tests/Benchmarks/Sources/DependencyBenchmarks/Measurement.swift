import Glibc

/// The processor time of one operation, measured in many rounds.
///
/// Each round measures all operations in turn, so a temporary load on the machine affects all
/// operations equally, and the median ignores the load.
struct Measurement {
  var benchmark: Benchmark
  private var rounds: [Double] = []

  /// The median time of one operation, in nanoseconds.
  var nanoseconds: Double { rounds.sorted()[rounds.count / 2] }

  static func all(of benchmarks: [Benchmark], rounds: Int) async -> [Measurement] {
    var measurements = benchmarks.map { Measurement(benchmark: $0) }
    for round in 0...rounds {
      for index in measurements.indices {
        // The first round is not recorded, because it creates the cached values.
        await measurements[index].measure(isRecorded: round > 0)
      }
    }
    return measurements
  }

  private init(benchmark: Benchmark) {
    self.benchmark = benchmark
  }

  private mutating func measure(isRecorded: Bool) async {
    let count = 5_000
    let start = now
    await benchmark.run(count)
    let end = now
    if isRecorded { rounds.append((end - start) / Double(count * divisor)) }
  }

  /// The number of threads whose CPU times add up; 1 for wall time, which all threads share.
  private var divisor: Int { benchmark.isWallClock ? 1 : benchmark.threads }

  /// The current time in nanoseconds: the CPU time of this process, or for wall-clock benchmarks,
  /// the monotonic clock.
  private var now: Double {
    var time = timespec()
    clock_gettime(benchmark.isWallClock ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}
