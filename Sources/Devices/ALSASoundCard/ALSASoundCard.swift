import AudioCore
import AudioThreads
import CALSA
public import ClientDependencies
import Glibc
import Logging
public import SoundCard

/// The sound cards and sound servers in ALSA's configuration.
struct ALSASoundCard: Sendable {
  /// Reports added and removed devices.
  let changes = DeviceChanges { changed in
    let folders = DeviceFolders(user: getuid()) { name in
      getenv(name).map { String(cString: $0) }
    }
    guard
      let watch = FolderWatch(
        folders.paths, concerns: DeviceFolders.concerns, changed: changed)
    else { return nil }
    return { watch.stop() }
  }

  /// Lists the available devices, the default first.
  func devices() async throws -> [AudioDevice] {
    try await runALSA("alsa-list", for: .alsaDefault, within: .seconds(5)) {
      () throws(SoundCardError) in
      try DeviceCatalog.read()
    }
  }

  func openPlayback(_ request: PCMRequest) async throws -> any PlaybackPCM {
    try await open(request) { () throws(SoundCardError) in try ALSAPlayback(request) }
  }

  func openCapture(_ request: PCMRequest) async throws -> any CapturePCM {
    try await open(request) { () throws(SoundCardError) in try ALSACapture(request) }
  }

  private func open<Device: PCM>(
    _ request: PCMRequest, _ work: @escaping @Sendable () throws(SoundCardError) -> Device
  ) async throws -> Device {
    try await runALSA(
      "alsa-open", for: request.device ?? .alsaDefault, within: request.openingLimit, work)
  }

  /// Runs an ALSA call with a time limit, measured by the dependency's clock.
  private func runALSA<Value: Sendable>(
    _ name: String, for device: AudioDevice.ID, within limit: Duration?,
    _ work: @escaping @Sendable () throws(SoundCardError) -> Value
  ) async throws -> Value {
    @Dependency(\.continuousClock) var clock
    return try await onThread(name, for: device, limit: limit, by: clock) {
      () throws(SoundCardError) in
      ALSALog.install()
      return try work()
    }
  }
}

extension SoundCard: DependencyKey {
  /// The sound cards and sound servers in ALSA's configuration; opening runs on its own thread.
  public static let liveValue: SoundCard = {
    let card = ALSASoundCard()
    return SoundCard(
      devices: { try await card.devices() },
      openPlayback: { try await card.openPlayback($0) },
      openCapture: { try await card.openCapture($0) },
      deviceChanges: { card.changes.stream() })
  }()
}

/// Runs blocking work on a new thread and returns its result.
///
/// Cancellation returns at once, even if a sound server hangs; the later result is discarded.
/// Throws `notResponding` after `limit`, measured by `clock`. Unlike `DedicatedThread.run`, it has
/// a limit: the work and the clock compete to resolve one promise.
func onThread<Value: Sendable>(
  _ name: String, for id: AudioDevice.ID, limit: Duration? = nil,
  by clock: any Clock<Duration> = ContinuousClock(),
  _ work: @escaping @Sendable () throws(SoundCardError) -> Value
) async throws -> Value {
  try Task.checkCancellation()
  let promise = Promise<Value>()
  do throws(ThreadError) {
    _ = try DedicatedThread.start(name: name) { promise.resolve(Result { try work() }) }
  } catch {
    throw SoundCardError.failed(
      id, operation: "pthread_create", code: error.code, reason: "\(error)")
  }
  let timeout = limit.map { limit in
    Task {
      try await clock.sleep(for: limit)
      promise.resolve(.failure(SoundCardError.notResponding(id, operation: name)))
    }
  }
  defer { timeout?.cancel() }
  return try await promise.value()
}

/// Redirects ALSA's stderr messages to the log with the label `syrinx.alsa` at level debug.
enum ALSALog {
  /// Installs the process-wide ALSA error handler once.
  static func install() { _ = isInstalled }

  private static let isInstalled =
    syrinx_alsa_send_errors_to { function, code, message in
      ALSALog.report(text(message), from: text(function), code: code, to: logger)
    } == 0

  private static let logger = Logger(label: "syrinx.alsa")

  /// Logs a message of this module.
  static func note(_ message: @autoclosure () -> String) { logger.debug("\(message())") }

  static func report(
    _ message: @autoclosure () -> String, from function: @autoclosure () -> String, code: Int32,
    to logger: Logger
  ) {
    logger.debug(
      "\(message())", metadata: ["function": "\(function())", "code": "\(code)"])
  }

  private static func text(_ characters: UnsafePointer<CChar>?) -> String {
    characters.map { String(cString: $0) } ?? ""
  }
}
