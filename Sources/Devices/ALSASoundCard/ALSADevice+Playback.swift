import AudioCore
import CALSA
import Glibc
import SoundCard

extension ALSADevice: PlaybackPCM {
  /// The corresponding C function is `snd_pcm_delay`.
  func delay() throws(SoundCardError) -> FrameCount {
    guard let pcm else { throw lose() }
    guard written > 0 else { return delayEstimate.delay(reported: 0, held: nil) }
    var frames: snd_pcm_sframes_t = 0
    let code = snd_pcm_delay(pcm, &frames)
    let isDisconnected = code < 0 && snd_pcm_state(pcm) == SND_PCM_STATE_DISCONNECTED
    let delay = delayEstimate.delay(
      after: code, reported: frames, isDisconnected: isDisconnected, held: held?.rawValue)
    guard let delay else { throw lose() }
    return delay
  }

  var timeUntilUnderrun: Duration {
    guard pcm != nil else { return .zero }
    return delayEstimate.timeUntilUnderrun(held: held ?? .zero, at: .now)
  }

  /// The corresponding C function is `snd_pcm_writei`.
  func write(_ samples: UnsafeBufferPointer<Float>) throws(SoundCardError) -> PCMTransfer {
    let pcm = try usable()
    let channels = configuration.format.channelCount
    let frames = min(samples.count / channels, scratchFrames)
    guard frames > 0 else { return .frames(.zero) }
    encode(UnsafeBufferPointer(rebasing: samples[..<(frames * channels)]), frames: frames)
    let written: Int
    switch DriverAnswer(snd_pcm_writei(pcm, scratch, snd_pcm_uframes_t(frames)), of: frames) {
    case .frames(let count): written = count
    case .excess: throw loseExcessive(frames)
    case .failure(let code):
      guard code == -EAGAIN, let taken = acceptedBeforeStart(pcm, of: frames) else {
        return try transfer(after: code)
      }
      written = taken
    }
    self.written += written
    transferred(written)
    // This write may have started the device, because ALSA starts it at a threshold of written
    // frames.
    if !losses.isRunning, snd_pcm_state(pcm) == SND_PCM_STATE_RUNNING { losses.restarted() }
    delayEstimate.wrote(FrameCount(written), at: .now)
    return .frames(FrameCount(written))
  }

  /// Returns the number of frames that a failed write stored before the device refused to start;
  /// nil if there are none.
  ///
  /// alsa-lib returns only the error of the start, but the frames stay in the buffer.
  private func acceptedBeforeStart(_ pcm: OpaquePointer, of frames: Int) -> Int? {
    guard snd_pcm_state(pcm) == SND_PCM_STATE_PREPARED, let held else { return nil }
    let taken = held.rawValue - written
    return taken > 0 ? min(taken, frames) : nil
  }

  /// Converts the samples to the device's channel order and format, in `scratch`.
  private func encode(_ samples: UnsafeBufferPointer<Float>, frames: Int) {
    var samples = samples
    if !routing.isIdentity, let source = samples.baseAddress {
      routing.apply(source, frames: frames, into: routed)
      samples = UnsafeBufferPointer(start: routed, count: samples.count)
    }
    configuration.sampleFormat.encode(samples, to: scratch, dither: &dither)
  }
}

/// An estimate of the audio that a playback device has not yet played, in frames and in time.
///
/// Plug-ins report negative or absurd delays, and errors at the start. Devices that accept frames
/// faster than real time (`null`, `file`) never hold frames.
struct DelayEstimate {
  /// The maximum plausible delay, in device buffers.
  private static let maximumBuffers = 16

  private let buffer: FrameCount
  private let rate: SampleRate
  private var last: FrameCount = 0
  /// The time at which the device will have played all written frames; nil if there are none.
  private var underrunTime: SuspendingClock.Instant?

  init(buffer: FrameCount, rate: SampleRate) {
    (self.buffer, self.rate) = (buffer, rate)
  }

  /// Returns the delay in frames.
  ///
  /// A sound server also buffers frames, so a delay of up to 16 device buffers is plausible.
  ///
  /// - Parameters:
  ///   - reported: the reported delay, or nil after an error.
  ///   - held: the number of buffered frames, or nil if unknown; evaluated only if the reported
  ///     delay is implausible.
  mutating func delay(reported: Int?, held: @autoclosure () -> Int?) -> FrameCount {
    if let reported, reported <= buffer.rawValue * Self.maximumBuffers {
      last = FrameCount(max(0, reported))
    } else if let held = held() {
      last = FrameCount(max(0, min(held, buffer.rawValue)))
    }
    return last
  }

  /// Returns the delay after a call of `snd_pcm_delay`; nil if the device is lost.
  ///
  /// - Parameters:
  ///   - code: the result of the call: 0, or a negative errno value.
  ///   - frames: the reported delay.
  ///   - isDisconnected: whether the device is disconnected after a failed call.
  ///   - held: the frames in the buffer, as in `delay(reported:held:)`.
  mutating func delay(
    after code: Int32, reported frames: Int, isDisconnected: Bool, held: @autoclosure () -> Int?
  ) -> FrameCount? {
    switch code.errnoValue {
    case _ where isDisconnected: nil
    case ENODEV, ENXIO: nil
    // The device has underrun: all written frames have been played.
    case EPIPE: delay(reported: 0, held: held())
    // Another failure may be temporary, so the device does not count as lost.
    case _ where code < 0: delay(reported: nil, held: held())
    default: delay(reported: frames, held: held())
    }
  }

  /// Records frames written at `time`.
  mutating func wrote(_ frames: FrameCount, at time: SuspendingClock.Instant) {
    let from = underrunTime.map { max($0, time) } ?? time
    underrunTime = from + frames.duration(at: rate)
  }

  /// Returns how long the device can continue without further frames.
  ///
  /// For a device that holds no frames, the result is the remaining duration of the written frames,
  /// so that an engine with a late source waits instead of inserting silence.
  mutating func timeUntilUnderrun(held: FrameCount, at time: SuspendingClock.Instant) -> Duration {
    if held > .zero { underrunTime = time + held.duration(at: rate) }
    guard let underrunTime else { return .zero }
    return max(.zero, underrunTime - time)
  }

  /// Records that the device was emptied.
  mutating func emptied() {
    underrunTime = nil
  }
}
