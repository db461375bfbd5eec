import AudioCore

extension ChannelMix {
  /// From the order of WAV files to a device's, or back.
  ///
  /// What finds no loudspeaker is mixed into others; what a microphone gives keeps some place.
  init(direction: AudioDevice.Direction, device: ChannelLayout) {
    let ours = ChannelLayout.wav(device.positions.count)
    switch direction {
    case .playback: self.init(from: ours, to: device)
    case .capture: self.init(keepingAllOf: device, as: ours)
    }
  }
}
