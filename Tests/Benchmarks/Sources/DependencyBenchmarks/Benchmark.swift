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
  /// The maximum multiple of the reference.
  var limit: Double?
  /// The number of threads that run the operation at the same time.
  var threads = 1
  /// Whether the measured time includes waiting, for example for a lock; on a busy machine, it also
  /// includes waiting for a processor.
  var isWallClock = false
  /// Runs the operation `count` times.
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

/// The limits for `ClientDependencies`: the cost of the same operations in Point-Free's
/// swift-dependencies, as multiples of the cost of bare Swift operations.
///
/// Version 1.16 was measured once in a release build, on a machine on which reading a task-local
/// value took 6 ns and a scope for it took 44 ns. The results are constants, because the package
/// cannot be fetched where the benchmarks run.
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

/// Prevents the optimizer from using its knowledge of a value.
@inline(never)
@_optimize(none)
func opaque<Value>(_ value: Value) -> Value { value }
