/// A measured operation, and the reference for its time.
struct Benchmark: Sendable {
  enum Reference: Sendable {
    case read
    case scope
    case asyncScope
    case call
    case oneThread
    case oneThreadOfTheWall
  }

  var name: String
  var reference: Reference
  /// The greatest allowed multiple of the reference.
  var limit: Double?
  /// How many threads do the same at the same time.
  var threads = 1
  /// Whether waiting time counts: for a lock, but also for a busy machine.
  var isWallClock = false
  /// Runs the operation this many times.
  var run: @Sendable (_ count: Int) async -> Void

  init(
    _ name: String, per reference: Reference, limit: Double? = nil, threads: Int = 1,
    isWallClock: Bool = false,
    run: @escaping @Sendable (_ count: Int) async -> Void
  ) {
    self.name = name
    self.reference = reference
    self.limit = limit
    self.threads = threads
    self.isWallClock = isWallClock
    self.run = run
  }
}

/// Keeps the optimizer from removing the computation of an unused value.
@inline(never)
func use<Value>(_ value: Value) {
  withExtendedLifetime(value) {}
}

/// Keeps the optimizer from knowing a value.
@inline(never)
@_optimize(none)
func opaque<Value>(_ value: Value) -> Value { value }
