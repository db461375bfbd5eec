import AudioCore
import ClientDependencies
import Glibc
import SoundCard

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
      try DeviceList.read()
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
