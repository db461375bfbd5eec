import AudioCore
import CALSA
import Glibc
import SoundCard

extension ALSADevice: CapturePCM {
  /// The corresponding C function is `snd_pcm_readi`.
  func read(
    into samples: UnsafeMutableBufferPointer<Float>
  ) throws(SoundCardError) -> PCMTransfer {
    let pcm = try usable()
    let channels = configuration.format.channelCount
    let frames = min(samples.count / channels, scratchFrames)
    guard frames > 0 else { return .frames(.zero) }
    // ALSA's `file` plug-in returns frames past the end of its file without writing them, so the
    // memory must already be silent.
    memset(scratch, 0, frames * channels * 4)
    let read: Int
    switch DriverAnswer(snd_pcm_readi(pcm, scratch, snd_pcm_uframes_t(frames)), of: frames) {
    case .frames(let count): read = count
    case .excess: throw loseExcessive(frames)
    case .failure(let code): return try transfer(after: code)
    }
    // A device that has no frames yet returns EAGAIN, so zero frames mean the end of a file.
    if read == 0 { hasEnded = true }
    transferred(read)
    decode(read, to: UnsafeMutableBufferPointer(rebasing: samples[..<(read * channels)]))
    return .frames(FrameCount(read))
  }

  /// Converts `scratch` from the device's sample format and channel order.
  private func decode(_ frames: Int, to samples: UnsafeMutableBufferPointer<Float>) {
    let format = configuration.sampleFormat
    guard !routing.isIdentity, let target = samples.baseAddress else {
      return format.decode(scratch, to: samples)
    }
    format.decode(scratch, to: UnsafeMutableBufferPointer(start: routed, count: samples.count))
    routing.apply(routed, frames: frames, into: target)
  }
}
