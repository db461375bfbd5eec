import AudioCore
import AudioThreads
import CALSA
import Glibc
import SoundCard

/// An ALSA capture device.
// `@unchecked Sendable` is right because only the constant `configuration` and `waker` are shared;
// everything else is called by one thread at a time, as `PCM` requires.
final class ALSACapture: CapturePCM, @unchecked Sendable {
  private let device: OpenDevice

  init(_ request: PCMRequest) throws(SoundCardError) {
    device = try OpenDevice(request, for: .capture)
  }

  var configuration: PCMConfiguration { device.configuration }
  var waker: WakeUp { device.waker }
  var elapsed: Duration { device.elapsed }
  func adoptThread() { device.adoptThread() }

  func wait(
    for interest: PCMInterest, atMost timeout: Duration?
  ) throws(SoundCardError) -> PCMWakeUp {
    try device.wait(for: interest, atMost: timeout)
  }

  func start() throws(SoundCardError) { try device.start() }
  func drop() { device.drop() }
  func close() { device.close() }

  /// The corresponding C function is `snd_pcm_readi`.
  func read(
    into samples: UnsafeMutableBufferPointer<Float>
  ) throws(SoundCardError) -> PCMTransfer {
    let pcm = try device.usable()
    let channels = configuration.format.channelCount
    let frames = min(samples.count / channels, device.scratchFrames)
    guard frames > 0 else { return .frames(.zero) }
    // ALSA's `file` plug-in returns frames past the end of its file and leaves the memory
    // unchanged.
    let direct = device.needsNoConversion ? UnsafeMutableRawPointer(samples.baseAddress) : nil
    let target = direct ?? device.scratch
    memset(target, 0, frames * channels * 4)
    let read = snd_pcm_readi(pcm, target, snd_pcm_uframes_t(frames))
    guard read >= 0 else { return try recovered(Int32(read)) }
    // A device without frames now returns EAGAIN; zero frames mean the end of a file.
    if read == 0 { device.hasEnded = true }
    device.transferred(read)
    if direct != nil { return .frames(FrameCount(read)) }
    decode(read, to: UnsafeMutableBufferPointer(rebasing: samples[..<(read * channels)]))
    return .frames(FrameCount(read))
  }

  /// Converts `scratch` from the device's sample format and channel order.
  private func decode(_ frames: Int, to samples: UnsafeMutableBufferPointer<Float>) {
    let format = configuration.sampleFormat
    guard !device.routing.isIdentity, let target = samples.baseAddress else {
      return SampleConversion.decode(device.scratch, as: format, to: samples)
    }
    SampleConversion.decode(
      device.scratch, as: format,
      to: UnsafeMutableBufferPointer(start: device.routed, count: samples.count))
    device.routing.apply(device.routed, frames: frames, into: target)
  }

  private func recovered(_ code: Int32) throws(SoundCardError) -> PCMTransfer {
    guard case .interrupted(let interruption) = try device.recover(code) else {
      return .frames(.zero)
    }
    return .interrupted(interruption)
  }
}
