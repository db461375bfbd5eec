import AudioCore
import AudioRecorderClient

/// Picks channels of a device, or all of them.
///
/// More than two channels are treated as microphones at unknown positions, regardless of the
/// device's channel names, so a mix includes the low-frequency channel.
struct ChannelPick {
  /// The format of the picked channels.
  let format: AudioFormat
  private var mapper: ChannelMapper?

  /// - Throws: `AudioRecorderError.unsupportedFormat` if the device lacks a channel.
  init(_ channels: [Int]?, of device: AudioFormat) throws(AudioRecorderError) {
    let count = channels?.count ?? device.channelCount
    let unknown = ChannelLayout(Array(repeating: .unknown, count: max(1, count)))
    format = AudioFormat(sampleRate: device.sampleRate, layout: count > 2 ? unknown : .wav(count))
    try checkChannels(channels, on: device)
    mapper = channels.map { ChannelMapper(.channels($0)) }
  }

  /// The number of channels to request from a device: enough for the picked channels, or the
  /// requested number, or two.
  ///
  /// If only one channel is requested, a sound server and ALSA's `plug` mix all channels into it,
  /// and the picked channel would be the mean of all.
  static func deviceChannelCount(for picked: [Int]?, else channelCount: Int?) -> Int {
    picked.map { max(2, 1 + ($0.max() ?? 0)) } ?? channelCount ?? 2
  }

  mutating func apply(_ buffer: AudioBuffer) throws -> AudioBuffer {
    let picked = try mapper?.process(buffer).first ?? buffer
    return AudioBuffer(format: format, samples: picked.samples, firstFrame: picked.firstFrame)
  }
}
