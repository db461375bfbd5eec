import AudioCore
import SoundCard

/// An open PCM and what was settled with it.
struct SettledDevice: ~Copyable {
  let handle: Handle
  let configuration: PCMConfiguration

  /// Opens a device and settles with it, in a sample format of the card itself where it has one of
  /// ours: ALSA's `plug` cuts off what 16 bits do not hold, without dither.
  static func open(
    _ id: AudioDevice.ID, _ request: PCMRequest, for direction: AudioDevice.Direction
  ) throws(SoundCardError) -> SettledDevice {
    do throws(SoundCardError) {
      return try SettledDevice(id, request, for: direction, formats: .cardsOwn)
    } catch .unsupported {
      // By now that handle is closed: a card lets itself be opened once.
      return try SettledDevice(id, request, for: direction, formats: .converted)
    }
  }

  private init(
    _ id: AudioDevice.ID, _ request: PCMRequest, for direction: AudioDevice.Direction,
    formats: Handle.Formats
  ) throws(SoundCardError) {
    let handle = try Handle(opening: id, for: direction, formats: formats)
    configuration = try Negotiation(
      pcm: handle.pcm, device: id, request: request, direction: direction
    ).settle()
    self.handle = handle
  }
}
