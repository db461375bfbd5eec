import AudioCore
import AudioThreads
import CALSA
public import ClientDependencies
import Glibc
import Logging
public import SoundCard

extension SoundCard: DependencyKey {
  /// The sound cards and sound servers in ALSA's configuration; each opening runs on its own
  /// thread.
  public static let liveValue: SoundCard = {
    let changes = DeviceChanges { changed in
      watchFolders(
        SoundServer.current.deviceFolders(ofUser: getuid()),
        concerns: SoundServer.isDeviceChange, changed: changed)
    }
    return SoundCard(
      devices: {
        try await runALSA("alsa-list", for: .alsaDefault, within: .seconds(5)) {
          () throws(SoundCardError) in
          try DeviceCatalog.read()
        }
      },
      openPlayback: { try await open(.playback, $0) },
      openCapture: { try await open(.capture, $0) },
      deviceChanges: { changes.stream() })
  }()

  private static func open(
    _ direction: AudioDevice.Direction, _ request: PCMRequest
  ) async throws -> ALSADevice {
    try await runALSA(
      "alsa-open", for: request.device ?? .alsaDefault, within: request.openingLimit
    ) { () throws(SoundCardError) in
      try ALSADevice(direction, request)
    }
  }

  /// Runs an ALSA call with a time limit, measured by the dependency's clock.
  private static func runALSA<Value: Sendable>(
    _ name: String, for device: AudioDevice.ID, within limit: Duration?,
    _ work: @escaping @Sendable () throws(SoundCardError) -> Value
  ) async throws -> Value {
    @Dependency(\.continuousClock) var clock
    return try await onThread(name, for: device, limit: limit, by: clock) {
      () throws(SoundCardError) in
      Logger.redirectALSA()
      return try work()
    }
  }
}

/// Runs blocking work on a new thread and returns its result.
///
/// A canceled caller returns at once, even if a sound server hangs; the later result is discarded.
/// Throws `notResponding` if the work has not returned after `limit`, measured by `clock`.
func onThread<Value: Sendable>(
  _ name: String, for id: AudioDevice.ID, limit: Duration? = nil,
  by clock: any Clock<Duration> = ContinuousClock(),
  _ work: @escaping @Sendable () throws(SoundCardError) -> Value
) async throws -> Value {
  try Task.checkCancellation()
  let promise = Promise<Value>()
  do throws(SystemError) {
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

extension Logger {
  /// The log of this module and of ALSA's messages, which have level debug.
  static let alsa = Logger(label: "syrinx.alsa")

  /// Redirects ALSA's stderr messages to the log; the process-wide handler is installed once.
  static func redirectALSA() { _ = isALSARedirected }

  private static let isALSARedirected =
    syrinx_alsa_send_errors_to { function, code, message in
      Logger.alsa.report(text(message), from: text(function), code: code)
    } == 0

  /// Logs a message of ALSA.
  func report(
    _ message: @autoclosure () -> String, from function: @autoclosure () -> String, code: Int32
  ) {
    debug("\(message())", metadata: ["function": "\(function())", "code": "\(code)"])
  }
}

private func text(_ characters: UnsafePointer<CChar>?) -> String {
  characters.map { String(cString: $0) } ?? ""
}
