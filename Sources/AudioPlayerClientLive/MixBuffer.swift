import AudioCore
import AudioThreads

/// The block that the card's thread mixes into: a period of interleaved samples, taken once and
/// reused.
///
/// Its memory is its own and it is used on one thread; the pointers never leave a call.
final class MixBuffer {
  private let mix: UnsafeMutableBufferPointer<Float>
  private let scratch: UnsafeMutableBufferPointer<Float>
  private let channels: Int
  private let buses: BusGains
  private var pending = 0..<0
  /// Whether no voice is in the block yet, which holds what was in it before.
  private var isFresh = false

  init(frames: Int, format: AudioFormat) {
    channels = format.channelCount
    buses = BusGains(rate: format.sampleRate)
    mix = .allocate(capacity: frames * channels)
    scratch = .allocate(capacity: frames * channels)
    mix.initialize(repeating: 0)
    scratch.initialize(repeating: 0)
  }

  deinit {
    mix.deallocate()
    scratch.deallocate()
  }

  /// What still has to be written.
  var unwritten: UnsafeBufferPointer<Float> { UnsafeBufferPointer(rebasing: mix[pending]) }

  /// Notes that so many frames have been written.
  func wrote(_ frames: Int) {
    pending = (pending.lowerBound + frames * channels)..<pending.upperBound
  }

  /// Forgets what has not been written.
  func discard() {
    pending = 0..<0
  }

  /// Nothing sounds any more: what moved has arrived.
  func rest() {
    buses.removeAll()
  }

  /// Begins a block of silence to mix into.
  func begin() {
    buses.begin(after: mix.count / channels)
    isFresh = true
    pending = 0..<mix.count
  }

  /// Adds what the voice has, at most `length` frames, with its gain; returns how many it had.
  ///
  /// A hole in a voice that is not complete is faded out of and into.
  func add(_ voice: Voice, atMost length: Int, isComplete: Bool) -> Int {
    let target = isFresh ? mix : scratch
    let room = UnsafeMutableBufferPointer(rebasing: target[..<(length * channels)])
    let frames = voice.ring.tryRead(into: room) / channels
    if frames > 0 {
      _ = voice.lastFrame.update(
        fromContentsOf: target[((frames - 1) * channels)..<(frames * channels)])
    }
    let isLate = frames < length && !isComplete
    let gains = voice.dropout.gains(frames, of: length, isLate: isLate)
    if let gains { fade(voice, frames, gains, in: target) }
    let count = (gains?.end ?? frames) * channels
    var bus = buses.ramp(of: voice.bus)
    apply(&bus, to: target, count)
    apply(&voice.transport.volume, to: target, count)
    apply(&voice.transport.fade, to: target, count)
    if isFresh {
      isFresh = false
      silence(from: count)
    } else {
      for index in 0..<count { mix[index] += scratch[index] }
    }
    return frames
  }

  private func silence(from sample: Int) {
    UnsafeMutableBufferPointer(rebasing: mix[sample...]).update(repeating: 0)
  }

  /// Applies the gains to so many frames of the voice, and to its last one in place of those that
  /// are missing.
  private func fade(
    _ voice: Voice, _ frames: Int, _ gains: DropoutFade.Gains,
    in target: UnsafeMutableBufferPointer<Float>
  ) {
    for frame in 0..<gains.end {
      let gain = gains[frame]
      for channel in 0..<channels {
        let index = frame * channels + channel
        target[index] = gain * (frame < frames ? target[index] : voice.lastFrame[channel])
      }
    }
  }

  /// Applies the gain of the whole engine to the block, in which all voices are.
  func apply(_ ramp: inout GainRamp) {
    if isFresh {
      isFresh = false
      silence(from: 0)
    }
    apply(&ramp, to: mix, mix.count)
  }

  /// Keeps the block within ±1; returns the lowest gain that this needed.
  func limit(_ limiter: inout Limiter) -> Float {
    limiter.apply(to: mix, channels: channels)
  }

  /// Multiplies the first `count` samples with the gains of their frames.
  private func apply(
    _ ramp: inout GainRamp, to samples: UnsafeMutableBufferPointer<Float>, _ count: Int
  ) {
    if ramp.isSteady && ramp.current == 1 { return }
    for frame in stride(from: 0, to: count, by: channels) {
      let gain = ramp.next()
      for channel in 0..<channels { samples[frame + channel] *= gain }
    }
  }
}
