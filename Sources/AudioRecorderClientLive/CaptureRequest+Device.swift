import AudioCore
import AudioRecorderClient
import SoundCard

extension CaptureRequest {
  /// Throws where no capture could come of it.
  func check() throws(AudioRecorderError) {
    try checkChannels(channelCount, of: "a capture")
    try ChannelPick.check(channels, of: "a capture")
    if let framesPerBuffer, !(1...(1 << 24)).contains(framesPerBuffer.rawValue) {
      throw .unsupportedFormat(
        reason: "a buffer holds 1 to \(1 << 24) frames, not \(framesPerBuffer.rawValue)")
    }
  }

  /// What the device is asked for: enough for whoever comes later as well.
  ///
  /// Live buffers are often of a low rate, for a recogniser or a meter that listens all day, and a
  /// recording that begins meanwhile is not to sound as if it came by telephone.
  var deviceRequest: PCMRequest {
    let rate = sampleRate ?? 48_000
    let wanted = AudioFormat(
      sampleRate: rate,
      channelCount: ChannelPick.deviceChannelCount(for: channels, else: channelCount))
    return PCMRequest(
      device: device, format: wanted.widened, buffering: buffering(at: rate),
      prefersNativeRate: true)
  }

  /// A device wakes as often as buffers are to come, within reason, and holds as much as ever.
  private func buffering(at rate: SampleRate) -> PCMBuffering {
    let usual = PCMBuffering.capture
    guard let framesPerBuffer else { return usual }
    let period = max(.milliseconds(5), framesPerBuffer.duration(at: rate))
    guard period < usual.period else { return usual }
    let count = (usual.period * usual.periodCount / period).rounded(.up)
    return PCMBuffering(period: period, periodCount: Int(count))
  }
}
