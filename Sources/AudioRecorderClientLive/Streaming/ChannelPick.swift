import AudioCore
import AudioRecorderClient

/// Picks channels of a device, or all of them.
///
/// More than two channels are microphones at unknown positions, whatever the device calls them, so
/// a mix includes the one that would be the low-frequency channel.
struct ChannelPick {
  /// The format of the picked channels.
  let format: AudioFormat
  private var mapper: ChannelMapper?

  /// - Throws: `AudioRecorderError.unsupportedFormat` if the device lacks a channel.
  init(_ channels: [Int]?, of device: AudioFormat) throws(AudioRecorderError) {
    let count = channels?.count ?? device.channelCount
    let unknown = ChannelLayout(Array(repeating: .unknown, count: max(1, count)))
    format = AudioFormat(sampleRate: device.sampleRate, layout: count > 2 ? unknown : .wav(count))
    guard let channels else { return }
    if let missing = channels.first(where: { $0 >= device.channelCount }) {
      throw .unsupportedFormat(
        reason: "channel \(missing + 1) was picked (index \(missing)), "
          + "and the device has \(device.channelCount)")
    }
    mapper = ChannelMapper(.channels(channels))
  }

  /// Refuses channels that no device has, before one is opened.
  static func check(_ channels: [Int]?, of what: String) throws(AudioRecorderError) {
    guard let channels else { return }
    guard (1...32).contains(channels.count), channels.allSatisfy({ (0..<64).contains($0) }) else {
      throw .unsupportedFormat(
        reason: "\(what) picks 1 to 32 channels, counted from 0 to 63, not \(channels)")
    }
  }

  /// The number of channels to open a device with: enough for the picked ones, or the requested number,
  /// or two.
  ///
  /// A sound server and ALSA's `plug` mix all channels into one if only one is requested, and the
  /// picked channel would be the mean of all.
  static func deviceChannelCount(for picked: [Int]?, else channelCount: Int?) -> Int {
    picked.map { max(2, 1 + ($0.max() ?? 0)) } ?? channelCount ?? 2
  }

  mutating func apply(_ buffer: AudioBuffer) throws -> AudioBuffer {
    let picked = try mapper?.take(buffer).first ?? buffer
    return AudioBuffer(format: format, samples: picked.samples, firstFrame: picked.firstFrame)
  }

  mutating func apply(_ captured: DeviceAudio) throws -> DeviceAudio {
    var captured = captured
    captured.buffer = try apply(captured.buffer)
    return captured
  }
}

/// Throws if no device has this many channels; nil means the device's own count.
func checkChannels(_ count: Int?, of what: String) throws(AudioRecorderError) {
  guard let count, !(1...32).contains(count) else { return }
  throw .unsupportedFormat(reason: "\(what) has 1 to 32 channels, not \(count)")
}
