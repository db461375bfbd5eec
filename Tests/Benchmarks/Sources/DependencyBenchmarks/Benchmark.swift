/// A measured operation, and the reference for its time.
struct Benchmark: Sendable {
  enum Reference: Sendable {
    case read
    case scope
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

/// The limits of this module: what the operations cost in Point-Free's swift-dependencies, as
/// multiples of the bare operations of Swift.
///
/// Version 1.16 was measured once in a release build, in nanoseconds, on a machine on which the read
/// of a task-local value took 6 and a scope of one 44. The figures are written here, because the
/// package cannot be fetched where the benchmarks run.
enum Peer {
  static let read = 500.0 / 6
  static let overriddenRead = 290.0 / 6
  static let readByKey = 1_250.0 / 6
  static let readOfCurrent = 350.0 / 6
  static let scope = 150.0 / 44
  static let asyncScope = 310.0 / 44
  static let scopeOfModel = 2_400.0 / 44
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
