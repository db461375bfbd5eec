import Glibc

/// The processor time of one operation, measured again and again in turn with all others.
///
/// A temporary disturbance of the machine then affects all of them equally, and the median ignores
/// it.
struct Measurement {
  var benchmark: Benchmark
  private var rounds: [Double] = []

  /// The time of an operation in nanoseconds.
  var nanoseconds: Double { rounds.sorted()[rounds.count / 2] }

  static func all(of benchmarks: [Benchmark], rounds: Int) async -> [Measurement] {
    var measurements = benchmarks.map { Measurement(benchmark: $0) }
    for round in 0...rounds {
      for index in measurements.indices {
        // The first round only warms up: it makes the cached values.
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

  /// Threads share wall time, and add up CPU time.
  private var divisor: Int { benchmark.isWallClock ? 1 : benchmark.threads }

  /// A time in nanoseconds: usually the CPU time of the process's threads, without that of others.
  private var now: Double {
    var time = timespec()
    clock_gettime(benchmark.isWallClock ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}
