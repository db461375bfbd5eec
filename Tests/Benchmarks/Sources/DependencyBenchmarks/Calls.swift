import ClientDependencies
import Dispatch

extension Benchmark {
  /// Calls of an endpoint, compared with calls of a closure.
  static var calls: [Benchmark] {
    let increment: @Sendable (Int) -> Int = { $0 &+ 1 }
    let closure = opaque(increment)
    let player = opaque(Player.liveValue)
    let feature = opaque(Feature())
    return [
      Benchmark("a bare closure", per: .call) { count in
        for _ in 0..<count { use(closure(1)) }
      },
      Benchmark("an endpoint", per: .call) { count in
        for _ in 0..<count { use(player.play(1)) }
      },
      Benchmark("an endpoint, read anew for each call", per: .call) { count in
        for _ in 0..<count { use(feature.player.play(1)) }
      },
    ]
  }

  /// Reads of one key on two threads at the same time, compared with the same reads on one thread.
  ///
  /// The time is per read and thread. If the threads wait for each other, the wall time is longer.
  /// The comparison needs two free processors.
  static var threads: [Benchmark] {
    [1, 2].map { reads(on: $0, per: .oneThread, isWallClock: false) }
      + [1, 2].map { reads(on: $0, per: .oneThreadOfTheWall, isWallClock: true) }
  }

  private static func reads(
    on threads: Int, per reference: Reference, isWallClock: Bool
  ) -> Benchmark {
    let feature = opaque(Feature())
    let name = "stored @Dependency(\\.x), \(threads == 1 ? "one thread" : "two threads")"
    return Benchmark(
      isWallClock ? name + ", wall" : name, per: reference, threads: threads,
      isWallClock: isWallClock
    ) { count in
      concurrently(on: threads) { for _ in 0..<count { use(feature.volume) } }
    }
  }

  private static func concurrently(on threads: Int, _ body: @Sendable () -> Void) {
    DispatchQueue.concurrentPerform(iterations: threads) { _ in body() }
  }
}
