import AudioCore
import AudioRecorderClient

/// Takes some of a device's channels, or all of them.
struct ChannelPick {
  /// What comes out.
  let format: AudioFormat
  private var mapper: ChannelMapper?

  /// - Throws: `AudioRecorderError.unsupportedFormat` where the device lacks a channel.
  init(_ channels: [Int]?, of device: AudioFormat) throws(AudioRecorderError) {
    guard let channels else {
      format = device
      return
    }
    if let missing = channels.first(where: { $0 >= device.channelCount }) {
      throw .unsupportedFormat(
        reason: "channel \(missing + 1) was picked (index \(missing)), "
          + "and the device has \(device.channelCount)")
    }
    format = AudioFormat(sampleRate: device.sampleRate, channelCount: channels.count)
    mapper = ChannelMapper(.channels(channels))
  }

  /// Refuses what no device has, before one is opened.
  static func check(_ channels: [Int]?, of what: String) throws(AudioRecorderError) {
    guard let channels else { return }
    guard (1...32).contains(channels.count), channels.allSatisfy({ (0..<64).contains($0) }) else {
      throw .unsupportedFormat(
        reason: "\(what) picks 1 to 32 channels, counted from 0 to 63, not \(channels)")
    }
  }

  /// The channels that a device is opened with where these are picked from it, or else so many are
  /// wanted, or as many as usual.
  ///
  /// A sound server and ALSA's `plug` mix all their channels into one where one is asked for: what
  /// is picked would be the mean of all.
  static func deviceChannelCount(for picked: [Int]?, else channelCount: Int?) -> Int {
    picked.map { max(2, 1 + ($0.max() ?? 0)) } ?? channelCount ?? 2
  }

  mutating func apply(_ buffer: AudioBuffer) throws -> AudioBuffer {
    try mapper?.take(buffer).first ?? buffer
  }

  mutating func apply(_ captured: DeviceAudio) throws -> DeviceAudio {
    var captured = captured
    captured.buffer = try apply(captured.buffer)
    return captured
  }
}
