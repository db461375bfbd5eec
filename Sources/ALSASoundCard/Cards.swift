import AudioCore
import CALSA
import Glibc
import SoundCard

/// Lists the sound cards of this machine through their control interfaces.
enum Cards {
  static func read() -> [HardwareDevice] {
    var found: [HardwareDevice] = []
    var card: Int32 = -1
    while snd_card_next(&card) >= 0, card >= 0 {
      // A card may be unplugged between the two calls; then it is skipped.
      if let control = CardControl(card: card) { found += control.devices() }
    }
    return found
  }
}

/// The owner of a card's control handle.
private struct CardControl: ~Copyable {
  private let control: OpaquePointer

  /// The corresponding C function is `snd_ctl_open`; returns nil on failure.
  init?(card: Int32) {
    var control: OpaquePointer?
    guard snd_ctl_open(&control, "hw:\(card)", SND_CTL_NONBLOCK) >= 0, let control else {
      return nil
    }
    self.control = control
  }

  deinit { snd_ctl_close(control) }

  func devices() -> [HardwareDevice] {
    var info: OpaquePointer?
    guard snd_ctl_card_info_malloc(&info) == 0, let info else { return [] }
    defer { snd_ctl_card_info_free(info) }
    guard snd_ctl_card_info(control, info) >= 0 else { return [] }
    let id = String(cString: snd_ctl_card_info_get_id(info))
    let name = String(cString: snd_ctl_card_info_get_name(info))
    var found: [HardwareDevice] = []
    var number: Int32 = -1
    while snd_ctl_pcm_next_device(control, &number) >= 0, number >= 0 {
      if let part = device(UInt32(number), cardID: id, cardName: name) { found.append(part) }
    }
    return found
  }

  private func device(_ number: UInt32, cardID: String, cardName: String) -> HardwareDevice? {
    let streams: [(AudioDevice.Direction, snd_pcm_stream_t)] = [
      (.playback, SND_PCM_STREAM_PLAYBACK), (.capture, SND_PCM_STREAM_CAPTURE),
    ]
    var part: HardwareDevice?
    for (direction, stream) in streams {
      guard let name = name(of: number, stream) else { continue }
      part =
        part
        ?? HardwareDevice(
          cardID: cardID, cardName: cardName, device: Int(number), name: name, directions: [])
      part?.directions.insert(direction)
    }
    return part
  }

  /// The name of a device in one direction, or nil if it lacks the direction.
  private func name(of device: UInt32, _ stream: snd_pcm_stream_t) -> String? {
    var info: OpaquePointer?
    guard snd_pcm_info_malloc(&info) == 0, let info else { return nil }
    defer { snd_pcm_info_free(info) }
    snd_pcm_info_set_device(info, device)
    snd_pcm_info_set_subdevice(info, 0)
    snd_pcm_info_set_stream(info, stream)
    guard snd_ctl_pcm_info(control, info) >= 0 else { return nil }
    return String(cString: snd_pcm_info_get_name(info))
  }
}
