import AudioCore
import CALSA
import Glibc
import SoundCard

/// Lists devices from ALSA's configuration and the cards' controls without opening a PCM.
enum DeviceList {
  static func read() throws(SoundCardError) -> [AudioDevice] {
    DeviceCatalogue(
      hardware: Cards.read(), hints: try hints(), defaultRoute: .read(),
      isServerAvailable: SoundServer.current.isAvailable
    ).devices
  }

  /// The corresponding C function is `snd_device_name_hint`.
  private static func hints() throws(SoundCardError) -> [PCMHint] {
    var list: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    let code = snd_device_name_hint(-1, "pcm", &list)
    guard code >= 0, let list else {
      throw .operating(.alsaDefault, "snd_device_name_hint", code: code)
    }
    defer { snd_device_name_free_hint(list) }
    var hints: [PCMHint] = []
    var next = list
    while let hint = next.pointee {
      if let name = text(hint, "NAME") {
        hints.append(
          PCMHint(name: name, description: text(hint, "DESC"), ioid: text(hint, "IOID")))
      }
      next += 1
    }
    return hints
  }

  private static func text(_ hint: UnsafeRawPointer, _ key: String) -> String? {
    guard let characters = snd_device_name_get_hint(hint, key) else { return nil }
    defer { free(characters) }
    return String(cString: characters)
  }
}
