package import AudioCore
import ClientDependencies

/// Transfers audio between the ports and an open device, for playback or capture.
///
/// One thread at a time uses a server: the audio thread while the device is open, and the control
/// thread while the device is lost. `Heartbeat` transfers the ownership: after a device call
/// throws, the audio thread no longer uses the server.
package protocol PortServer: AnyObject, Sendable {
  /// A user of the device.
  associatedtype Port: DevicePort
  /// `any PlaybackPCM` or `any CapturePCM`.
  associatedtype PCMType
  /// The device.
  typealias Device = MonitoredDevice<PCMType>

  /// The name of the audio thread.
  static var threadName: String { get }

  /// The connections to the control thread.
  var link: DeviceLink<Port> { get }

  /// Serves the ports until `quit` or the device's end; throws if the device is lost.
  func run() throws(SoundCardError)

  /// Records that the device is lost and its thread no longer serves it.
  ///
  /// - Parameter time: the device's time at the end of its thread; nil if a call hangs.
  func lose(at time: Duration?)

  /// Performs commands while the device is lost; returns false after `quit`.
  func serveInSilence() -> Bool

  /// Continues with a device that returned after `gap`; called before the device's thread runs.
  ///
  /// - Throws: if the device no longer suits its ports.
  func begin(on device: Device, after gap: Duration) throws(SoundCardError)
}

/// The parameters with which a pool opens a device, and reopens it after a loss.
package struct DeviceOpening<Server: PortServer>: Sendable {
  /// The requested configuration.
  package var request: PCMRequest
  /// Whether users of this opening can share a device that has another format and buffering.
  package let convertsAnyFormat: Bool
  /// The time for which the device stays open without users.
  package let idleTime: Duration
  /// The clock for the idle time and for the time that ports wait for a lost device.
  package let clock: any Clock<Duration>
  private let soundCard: SoundCard
  private let openDevice: @Sendable (SoundCard, PCMRequest) async throws -> Server.Device
  private let makeServer: @Sendable (Server.Device, Lockstep?) throws -> Server
  /// The dependencies of the code that created this value, used to reopen the device on another
  /// thread.
  private let dependencies = withEscapedDependencies { $0 }

  /// Creates an opening with the caller's dependencies.
  package init(
    _ request: PCMRequest, convertsAnyFormat: Bool, idleTime: Duration = .zero,
    clock: any Clock<Duration>, on soundCard: SoundCard,
    openDevice: @escaping @Sendable (SoundCard, PCMRequest) async throws -> Server.Device,
    makeServer: @escaping @Sendable (Server.Device, Lockstep?) throws -> Server
  ) {
    (self.request, self.convertsAnyFormat) = (request, convertsAnyFormat)
    (self.idleTime, self.clock, self.soundCard) = (idleTime, clock, soundCard)
    (self.openDevice, self.makeServer) = (openDevice, makeServer)
  }

  func open() async throws -> DeviceRuntime<Server> {
    let device = try await openDevice(soundCard, request)
    do {
      return try DeviceRuntime(device, try makeServer(device, lockstep), reopening: self)
    } catch {
      device.close()
      throw error
    }
  }

  private var lockstep: Lockstep? { soundCard.lockstep }

  /// The identity of the sound card.
  var card: ObjectIdentifier? { soundCard.identity }

  /// The present time on the clock of the sound card.
  var now: ContinuousClock.Instant { soundCard.now() }

  /// Begins to wait for the lost device; `notify` is called on any thread when a result is
  /// available.
  func reopen(
    _ format: AudioFormat, after error: SoundCardError, notify: @escaping @Sendable () -> Void
  ) -> DeviceReopener<Server.Device> {
    var request = request
    request.openingLimit = nil
    if !convertsAnyFormat { request.format = format }
    return DeviceReopener(
      after: error,
      open: { [dependencies, openDevice, soundCard, request] in
        try await dependencies.yield { try await openDevice(soundCard, request) }
      },
      close: { $0.close() }, changes: soundCard.deviceChanges, clock: clock, lockstep: lockstep,
      notify: notify)
  }
}
