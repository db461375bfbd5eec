/// One operation that is measured, and what its time is a multiple of.
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
  /// The greatest multiple of the reference that is allowed.
  var limit: Double?
  /// How many threads do the same at once.
  var threads = 1
  /// Whether time counts in which the process waits: for a lock, but also for a busy machine.
  var isWallClock = false
  /// Runs the operation that often.
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

/// Keeps the optimiser from leaving out what gives a value that nobody uses.
@inline(never)
func use<Value>(_ value: Value) {
  withExtendedLifetime(value) {}
}

/// Keeps the optimiser from knowing a value.
@inline(never)
@_optimize(none)
func opaque<Value>(_ value: Value) -> Value { value }
