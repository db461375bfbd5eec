import AudioCore
import AudioPlayerClient

/// Keeps an engine open for as long as a preloaded sound lives.
final class EngineHold: Sendable {
  let lease: EnginePool.Lease
  /// What was asked for; a device that was open already may have another.
  let latency: PlaybackLatency
  private let engines: EnginePool

  init(_ lease: EnginePool.Lease, _ latency: PlaybackLatency, of engines: EnginePool) {
    self.lease = lease
    self.latency = latency
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
