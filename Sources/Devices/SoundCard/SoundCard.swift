public import AudioCore
public import ClientDependencies
import Synchronization

/// The interface to audio hardware: lists devices and opens them for playback or capture.
///
/// The live value, in the module `ALSASoundCard`, uses ALSA. Tests and the command's `virtual`
/// device use `VirtualSoundCard`. Engines access it through `@Dependency(\.soundCard)`.
public struct SoundCard: Sendable {
  /// Lists the available devices, the default first, without opening them.
  ///
  /// The list is empty without a sound card. Throws `SoundCardError`.
  public var devices: @Sendable () async throws -> [AudioDevice] = unimplemented(
    endpoint: "SoundCard.devices")

  /// Opens a device for playback without waiting for it to become free; throws `SoundCardError`.
  public var openPlayback: @Sendable (_ request: PCMRequest) async throws -> any PlaybackPCM =
    unimplemented(endpoint: "SoundCard.openPlayback")

  /// Opens a device for capture without waiting for it to become free; throws `SoundCardError`.
  public var openCapture: @Sendable (_ request: PCMRequest) async throws -> any CapturePCM =
    unimplemented(endpoint: "SoundCard.openCapture")

  /// Returns a new stream that yields whenever devices may have been added or removed.
  ///
  /// An element carries no details: try to open the device you wait for. The stream ends if changes
  /// cannot be observed, or when its consumer is canceled or released; the last consumer stops the
  /// observation.
  public var deviceChanges: @Sendable () -> AsyncStream<Void> = unimplemented(
    endpoint: "SoundCard.deviceChanges"
  ) { _ in AsyncStream { $0.finish() } }

  /// Makes the clock of a virtual card wait for the consumers of its audio; nil for any other card.
  package var lockstep: Lockstep?

  /// Identifies a virtual card, so that its devices are not confused with another card's; nil for
  /// any other card.
  package var identity: ObjectIdentifier?

  /// Returns the present time on the clock of `PCM.hostTime`.
  package var now: @Sendable () -> ContinuousClock.Instant = { .now }

  /// Creates a sound card whose endpoints are unimplemented.
  public init() {}
}

extension SoundCard {
  /// Creates a sound card from its endpoints; the default `deviceChanges` ends at once.
  public init(
    devices: @escaping @Sendable () async throws -> [AudioDevice],
    openPlayback: @escaping @Sendable (_ request: PCMRequest) async throws -> any PlaybackPCM,
    openCapture: @escaping @Sendable (_ request: PCMRequest) async throws -> any CapturePCM,
    deviceChanges: @escaping @Sendable () -> AsyncStream<Void> = { AsyncStream { $0.finish() } }
  ) {
    self.devices = devices
    self.openPlayback = openPlayback
    self.openCapture = openCapture
    self.deviceChanges = deviceChanges
  }

  /// Opens a device for playback; see the endpoint of the same name.
  public func openPlayback(request: PCMRequest) async throws -> any PlaybackPCM {
    try await openPlayback(request)
  }

  /// Opens a device for capture; see the endpoint of the same name.
  public func openCapture(request: PCMRequest) async throws -> any CapturePCM {
    try await openCapture(request)
  }
}

extension SoundCard {
  /// Lists the devices of a direction, the default first; empty without a sound card.
  package func devices(for direction: AudioDevice.Direction) async throws -> [AudioDevice] {
    do {
      return try await devices().filter { $0.directions.contains(direction) }
    } catch SoundCardError.noSoundCard {
      return []
    }
  }
}

extension SoundCard: TestDependencyKey {
  /// A sound card that reports an issue for every call.
  public static var testValue: SoundCard { SoundCard() }
}

extension DependencyValues {
  /// The sound card on which the playback and capture engines open devices.
  public var soundCard: SoundCard {
    get { self[SoundCard.self] }
    set {
      self[SoundCard.self] = newValue
      lockstep = newValue.lockstep
    }
  }

  /// The sound card's `Lockstep`; nil if the program has no sound card.
  package private(set) var lockstep: Lockstep? {
    get { self[Lockstep.self] }
    set { self[Lockstep.self] = newValue }
  }
}

extension Lockstep: DependencyKey {
  /// Nil, because only a virtual card in lockstep sets it.
  package static var liveValue: Lockstep? { nil }
  package static var testValue: Lockstep? { nil }
}

/// Streams that report added and removed devices.
///
/// They share one watch, which ends with the last stream.
package final class DeviceChanges: Sendable {
  /// Starts a watch and returns a closure that ends it, or nil if the system refuses.
  package typealias StartWatching =
    @Sendable (_ changed: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)?

  // This is not a tuple, because each access through the mutex would wrap the closure of a tuple
  // once more.
  private struct State {
    var observers: [Int: AsyncStream<Void>.Continuation] = [:]
    var next = 0
    /// Ends the watch; nil while there is no watch.
    var stop: (@Sendable () -> Void)?
  }

  // Consumers and the watching thread hold the lock for a few instructions, or while a watch
  // starts.
  private let state = Mutex(State())
  private let watching: StartWatching

  /// Creates streams that share a watch; without a watch, only `announce` reports changes.
  package init(watching: @escaping StartWatching = { _ in {} }) {
    self.watching = watching
  }

  /// Returns a new stream; it ends at once if changes cannot be observed.
  package func stream() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state -> Int? in
      if state.stop == nil { state.stop = watching { [weak self] in self?.announce() } }
      guard state.stop != nil else { return nil }
      state.next += 1
      state.observers[state.next] = continuation
      return state.next
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in self?.leave(number) }
    return stream
  }

  /// Reports a change to all streams.
  package func announce() {
    for observer in state.withLock({ Array($0.observers.values) }) { observer.yield() }
  }

  private func leave(_ number: Int) {
    let stop = state.withLock { state in
      state.observers[number] = nil
      return state.observers.isEmpty ? state.stop.take() : nil
    }
    stop?()
  }
}
