import ClientDependencies
import Dispatch

extension Benchmark {
  /// Calls of an endpoint, against the call of a closure.
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

  /// One key read on two threads at once, against the same reads on one: time per read and thread.
  static var threads: [Benchmark] {
    let feature = opaque(Feature())
    return [
      Benchmark("stored @Dependency(\\.x), one thread", per: .oneThread) { count in
        concurrently(on: 1) { for _ in 0..<count { use(feature.volume) } }
      },
      Benchmark("stored @Dependency(\\.x), two threads", per: .oneThread, threads: 2) { count in
        concurrently(on: 2) { for _ in 0..<count { use(feature.volume) } }
      },
    ]
  }

  private static func concurrently(on threads: Int, _ body: @Sendable () -> Void) {
    DispatchQueue.concurrentPerform(iterations: threads) { _ in body() }
  }
}
