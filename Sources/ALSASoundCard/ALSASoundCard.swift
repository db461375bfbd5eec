import AudioCore
import ClientDependencies
import Glibc
import SoundCard

/// The sound cards and sound servers that ALSA's configuration knows.
struct ALSASoundCard: Sendable {
  /// Tells of devices that come and go.
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

  /// The devices that can be opened, the default first.
  func devices() async throws -> [AudioDevice] {
    try await answer("alsa-list", for: .alsaDefault, within: .seconds(5)) {
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
    try await answer(
      "alsa-open", for: request.device ?? .alsaDefault, within: request.openingLimit, work)
  }

  /// What ALSA answers within the limit, by its caller's clock.
  private func answer<Value: Sendable>(
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
