import AudioCore
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
    try await onThread("alsa-list", for: .alsaDefault) { () throws(SoundCardError) in
      ALSALog.install()
      return try DeviceList.read()
    }
  }

  func openPlayback(_ request: PCMRequest) async throws -> any PlaybackPCM {
    try await onThread("alsa-open", for: request.device ?? .alsaDefault) {
      () throws(SoundCardError) in
      ALSALog.install()
      return try ALSAPlayback(request)
    }
  }

  func openCapture(_ request: PCMRequest) async throws -> any CapturePCM {
    try await onThread("alsa-open", for: request.device ?? .alsaDefault) {
      () throws(SoundCardError) in
      ALSALog.install()
      return try ALSACapture(request)
    }
  }
}
