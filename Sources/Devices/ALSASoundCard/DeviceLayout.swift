import AudioCore
import CALSA
import Glibc

extension ChannelLayout {
  /// Returns the device's channel layout, or ALSA's usual layout if the device reports none.
  ///
  /// If a playback device lacks some positions of the WAV layout, this method requests the WAV
  /// layout from the device, which may refuse the request.
  static func settled(
    _ pcm: OpaquePointer, channelCount: Int, for direction: AudioDevice.Direction
  ) -> ChannelLayout {
    let ours = ChannelLayout.wav(channelCount)
    guard let own = read(pcm, channelCount: channelCount) else { return .alsa(channelCount) }
    if ChannelMix(from: ours, to: own).isPermutation { return own }
    guard direction == .playback, set(ours, on: pcm) else { return own }
    return read(pcm, channelCount: channelCount) ?? own
  }

  /// Returns the device's current layout; nil if the device reports no matching layout.
  ///
  /// The corresponding C function is `snd_pcm_get_chmap`.
  private static func read(_ pcm: OpaquePointer, channelCount: Int) -> ChannelLayout? {
    guard let map = snd_pcm_get_chmap(pcm) else { return nil }
    defer { free(map) }
    guard map.pointee.channels == UInt32(clamping: channelCount) else { return nil }
    let values = positions(of: map)
    return ChannelLayout(alsa: (0..<channelCount).map { values[$0] })
  }

  /// Requests a layout; returns false if the device refuses.
  ///
  /// The corresponding C function is `snd_pcm_set_chmap`.
  private static func set(_ layout: ChannelLayout, on pcm: OpaquePointer) -> Bool {
    let count = layout.positions.count
    let size = MemoryLayout<snd_pcm_chmap_t>.stride + count * MemoryLayout<UInt32>.stride
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: size, alignment: MemoryLayout<snd_pcm_chmap_t>.alignment)
    defer { memory.deallocate() }
    let map = memory.bindMemory(to: snd_pcm_chmap_t.self, capacity: 1)
    map.pointee.channels = UInt32(count)
    let values = positions(of: map)
    for index in 0..<count { values[index] = layout.positions[index].inALSA }
    return snd_pcm_set_chmap(pcm, map) >= 0
  }

  /// Returns the positions in a channel map; they are a flexible array member, which Swift does not
  /// import.
  private static func positions(
    of map: UnsafeMutablePointer<snd_pcm_chmap_t>
  ) -> UnsafeMutablePointer<UInt32> {
    // Safe because `pos` directly follows `channels`, and both are unsigned ints.
    (UnsafeMutableRawPointer(map) + MemoryLayout<UInt32>.stride)
      .assumingMemoryBound(to: UInt32.self)
  }
}

extension ChannelLayout {
  /// Returns ALSA's usual channel order, or the WAV order if ALSA has no usual order.
  static func alsa(_ channelCount: Int) -> ChannelLayout {
    let most: [ChannelPosition] = [
      .frontLeft, .frontRight, .rearLeft, .rearRight, .frontCenter, .lowFrequency,
    ]
    return switch channelCount {
    case 4...6: ChannelLayout(Array(most[..<channelCount]))
    case 7: ChannelLayout(most + [.rearCenter])
    case 8: ChannelLayout(most + [.sideLeft, .sideRight])
    default: .wav(channelCount)
    }
  }

  /// Creates a layout from ALSA positions; nil if all are unknown.
  init?(alsa values: [UInt32]) {
    // HDMI's 7.1 layout calls the side pair "rear", because another pair is behind it.
    let hasInnerRear = values.contains(SND_CHMAP_RLC.rawValue)
    let read = values.map { ChannelPosition(alsa: $0, hasInnerRear: hasInnerRear) }
    if read.allSatisfy({ $0 == .unknown }) { return nil }
    self.init(read)
  }
}

extension ChannelPosition {
  /// Converts an ALSA position; an unsupported or phase-inverted position becomes unknown.
  fileprivate init(alsa value: UInt32, hasInnerRear: Bool) {
    switch snd_pcm_chmap_position(value) {
    case SND_CHMAP_RL where hasInnerRear: self = .sideLeft
    case SND_CHMAP_RR where hasInnerRear: self = .sideRight
    case SND_CHMAP_RLC: self = .rearLeft
    case SND_CHMAP_RRC: self = .rearRight
    default: self = Self.allCases.first { $0.inALSA == value } ?? .unknown
    }
  }

  fileprivate var inALSA: UInt32 {
    let position =
      switch self {
      case .mono: SND_CHMAP_MONO
      case .frontLeft: SND_CHMAP_FL
      case .frontRight: SND_CHMAP_FR
      case .frontCenter: SND_CHMAP_FC
      case .lowFrequency: SND_CHMAP_LFE
      case .rearLeft: SND_CHMAP_RL
      case .rearRight: SND_CHMAP_RR
      case .rearCenter: SND_CHMAP_RC
      case .sideLeft: SND_CHMAP_SL
      case .sideRight: SND_CHMAP_SR
      case .silent: SND_CHMAP_NA
      case .unknown: SND_CHMAP_UNKNOWN
      }
    return position.rawValue
  }
}

extension ChannelMix {
  /// Creates the mix from WAV channel order to the device's order for playback, or the reverse for
  /// capture.
  ///
  /// Playback mixes channels without a loudspeaker into others; capture keeps every channel.
  init(direction: AudioDevice.Direction, device: ChannelLayout) {
    let ours = ChannelLayout.wav(device.positions.count)
    switch direction {
    case .playback: self.init(from: ours, to: device)
    case .capture: self.init(keepingAllOf: device, as: ours)
    }
  }
}
