#if canImport(Glibc)
import Glibc
#endif

/// Returns how much the processor time of `work` grows from a quarter of `count` to `count`: about
/// 4 times for linear work, about 16 times for quadratic work.
///
/// Only the time of this thread counts, and only the fastest of three runs, so other work on the
/// machine hardly matters.
///
/// - Parameters:
///   - count: the largest size; `work` also runs with a half and a quarter of it.
///   - make: makes an input of the given size; its time does not count.
///   - work: the measured work.
package func growth<Input>(
  to count: Int, of make: (_ size: Int) -> Input, _ work: (Input) throws -> Void
) rethrows -> Double {
  let times = try [count / 4, count / 2, count].map { size in
    let input = make(size)
    return try (0..<3).map { _ in
      let start = threadNanoseconds()
      try work(input)
      return threadNanoseconds() - start
    }.min() ?? 0
  }
  // The growth from the half is used, too, because a constant cost may dominate the time of the
  // smallest input.
  let (quarter, half, whole) = (max(1, times[0]), max(1, times[1]), times[2])
  return max(Double(whole) / Double(quarter), 2 * Double(whole) / Double(half))
}

/// Returns the processor time of the calling thread.
///
/// The corresponding C function is `clock_gettime`.
private func threadNanoseconds() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return time.tv_sec * 1_000_000_000 + time.tv_nsec
}
