import AudioCore

/// Keeps an engine open for as long as a preloaded sound lives.
final class EngineHold: Sendable {
  let lease: EnginePool.Lease
  private let engines: EnginePool

  init(_ lease: EnginePool.Lease, of engines: EnginePool) {
    self.lease = lease
    self.engines = engines
  }

  deinit {
    Task { [engines, lease] in await engines.release(lease) }
  }

  /// The engine, where it is one of `engines` and its device is not lost.
  func engine(of engines: EnginePool) -> PlaybackEngine? {
    self.engines === engines && !lease.engine.hasFailed ? lease.engine : nil
  }
}
