import AudioCore
import SoundCard

/// An open PCM and its negotiated configuration.
struct SettledDevice: ~Copyable {
  let handle: PCMHandle
  let configuration: PCMConfiguration

  /// Opens a device and negotiates, preferring a native sample format of the card: ALSA's `plug`
  /// truncates to 16 bits without dither.
  static func open(
    _ id: AudioDevice.ID, _ request: PCMRequest, for direction: AudioDevice.Direction
  ) throws(SoundCardError) -> SettledDevice {
    do throws(SoundCardError) {
      return try SettledDevice(id, request, for: direction, formats: .cardsOwn)
    } catch .unsupported {
      // The first handle is closed by now; a card can be opened only once.
      return try SettledDevice(id, request, for: direction, formats: .converted)
    }
  }

  private init(
    _ id: AudioDevice.ID, _ request: PCMRequest, for direction: AudioDevice.Direction,
    formats: PCMHandle.Formats
  ) throws(SoundCardError) {
    let handle = try PCMHandle(opening: id, for: direction, formats: formats)
    configuration = try Negotiation(
      pcm: handle.pcm, device: id, request: request, direction: direction
    ).settle()
    self.handle = handle
  }
}
