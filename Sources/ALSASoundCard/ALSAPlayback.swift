import AudioCore
import AudioThreads
import CALSA
import Glibc
import SoundCard

/// An ALSA playback device.
// `@unchecked Sendable` is right because only the constant `configuration` and `waker` are shared;
// everything else is called by one thread at a time, as `PCM` requires.
final class ALSAPlayback: PlaybackPCM, @unchecked Sendable {
  let device: OpenDevice
  private var delayEstimate: DelayEstimate
  private var dither = Dither()

  init(_ request: PCMRequest) throws(SoundCardError) {
    device = try OpenDevice(request, for: .playback)
    let configuration = device.configuration
    delayEstimate = DelayEstimate(
      buffer: configuration.buffer, rate: configuration.format.sampleRate)
  }

  var configuration: PCMConfiguration { device.configuration }
  var waker: WakeUp { device.waker }
  var elapsed: Duration { device.elapsed }
  func adoptThread() { device.adoptThread() }

  func wait(
    for interest: PCMInterest, atMost timeout: Duration?
  ) throws(SoundCardError) -> PCMWakeUp {
    let outcome = try device.wait(for: interest, atMost: timeout)
    if case .interrupted = outcome { delayEstimate.emptied() }
    return outcome
  }

  func start() throws(SoundCardError) { try device.start() }

  func drop() {
    device.drop()
    delayEstimate.emptied()
  }

  func close() { device.close() }

  /// The corresponding C function is `snd_pcm_delay`.
  func delay() throws(SoundCardError) -> FrameCount {
    guard let pcm = device.pcm else { throw device.lose() }
    let reported = device.written > 0 ? try reportedDelay(pcm) : 0
    return delayEstimate.delay(reported: reported, held: device.held?.rawValue)
  }

  /// The delay that the device reports, or nil after an error that may pass.
  private func reportedDelay(_ pcm: OpaquePointer) throws(SoundCardError) -> Int? {
    var frames: snd_pcm_sframes_t = 0
    let code = snd_pcm_delay(pcm, &frames)
    let isDisconnected = code < 0 && snd_pcm_state(pcm) == SND_PCM_STATE_DISCONNECTED
    switch DelayEstimate.Answer(code, isDisconnected: isDisconnected) {
    case .lost: throw device.lose()
    case .underrun: return 0
    case .unknown: return nil
    case .frames: return frames
    }
  }

  var timeUntilUnderrun: Duration {
    guard device.pcm != nil else { return .zero }
    return delayEstimate.timeUntilUnderrun(held: device.held ?? .zero, at: .now)
  }

  /// The corresponding C function is `snd_pcm_writei`.
  func write(_ samples: UnsafeBufferPointer<Float>) throws(SoundCardError) -> PCMTransfer {
    let pcm = try device.usable()
    let channels = configuration.format.channelCount
    let frames = min(samples.count / channels, device.scratchFrames)
    guard frames > 0 else { return .frames(.zero) }
    let source = encoded(
      UnsafeBufferPointer(rebasing: samples[..<(frames * channels)]), frames: frames)
    let answer = snd_pcm_writei(pcm, source, snd_pcm_uframes_t(frames))
    let written = -answer == EAGAIN ? takenBeforeStart(pcm) ?? answer : answer
    guard written >= 0 else { return try recovered(Int32(written)) }
    device.written += written
    device.transferred(written)
    delayEstimate.wrote(FrameCount(written), at: .now)
    return .frames(FrameCount(written))
  }

  /// The frames that the device took in a write that failed because the automatic start was
  /// refused.
  ///
  /// alsa-lib reports only the refusal. A device that has not started still holds all written
  /// frames.
  private func takenBeforeStart(_ pcm: OpaquePointer) -> Int? {
    guard snd_pcm_state(pcm) == SND_PCM_STATE_PREPARED, let held = device.held else { return nil }
    let taken = held.rawValue - device.written
    return taken > 0 ? taken : nil
  }

  /// Returns the samples in the device's channel order and format, valid until the next call.
  private func encoded(
    _ samples: UnsafeBufferPointer<Float>, frames: Int
  ) -> UnsafeRawPointer? {
    guard !device.needsNoConversion else { return UnsafeRawPointer(samples.baseAddress) }
    var samples = samples
    if !device.routing.isIdentity, let source = samples.baseAddress {
      device.routing.apply(source, frames: frames, into: device.routed)
      samples = UnsafeBufferPointer(start: device.routed, count: samples.count)
    }
    SampleConversion.encode(
      samples, as: configuration.sampleFormat, to: device.scratch, dither: &dither)
    return UnsafeRawPointer(device.scratch)
  }

  private func recovered(_ code: Int32) throws(SoundCardError) -> PCMTransfer {
    guard case .interrupted(let interruption) = try device.recover(code) else {
      return .frames(.zero)
    }
    delayEstimate.emptied()
    return .interrupted(interruption)
  }
}
