import AudioCore
import AudioRecorderClient

/// Takes some of a device's channels, or all of them.
///
/// More than two are several microphones at unknown positions, whatever the device calls them: where
/// they are mixed, the one at the place of low frequencies is not left out.
struct ChannelPick {
  /// What comes out.
  let format: AudioFormat
  private var mapper: ChannelMapper?

  /// - Throws: `AudioRecorderError.unsupportedFormat` where the device lacks a channel.
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
    let picked = try mapper?.take(buffer).first ?? buffer
    return AudioBuffer(format: format, samples: picked.samples, firstFrame: picked.firstFrame)
  }

  mutating func apply(_ captured: DeviceAudio) throws -> DeviceAudio {
    var captured = captured
    captured.buffer = try apply(captured.buffer)
    return captured
  }
}

/// Throws where nothing has so many channels; nil stands for as many as the device has.
func checkChannels(_ count: Int?, of what: String) throws(AudioRecorderError) {
  guard let count, !(1...32).contains(count) else { return }
  throw .unsupportedFormat(reason: "\(what) has 1 to 32 channels, not \(count)")
}
