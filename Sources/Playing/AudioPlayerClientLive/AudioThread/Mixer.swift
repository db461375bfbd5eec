import AudioCore
import AudioThreads
import SoundCard

/// Mixes voices into blocks of one period, with all gains and the limiter.
///
/// Its memory is allocated once. Used only on the audio thread.
final class Mixer {
  private let events: RingBuffer<DeviceEvent>
  private let volume: BusVolume
  private let mix: UnsafeMutableBufferPointer<Float>
  private let scratch: UnsafeMutableBufferPointer<Float>
  private let channels: Int
  private let period: Int
  private let rate: SampleRate
  private var master: SmoothedGain
  private var limiter: Limiter
  /// The indices of the block's samples that have not been written.
  private var pending = 0..<0
  /// Whether the block still holds the previous block's samples, which the first voice overwrites.
  private var isStale = false

  init(
    period: Int, format: AudioFormat, events: RingBuffer<DeviceEvent>, volume: BusVolume
  ) {
    (self.events, self.volume) = (events, volume)
    self.period = period
    channels = format.channelCount
    rate = format.sampleRate
    master = SmoothedGain(volume.setting.gain)
    limiter = Limiter(rate: rate)
    mix = .allocate(capacity: period * channels)
    scratch = .allocate(capacity: period * channels)
    mix.initialize(repeating: 0)
    scratch.initialize(repeating: 0)
  }

  deinit {
    mix.deallocate()
    scratch.deallocate()
  }

  /// The part of the block that has not been written.
  var unwritten: UnsafeBufferPointer<Float> { UnsafeBufferPointer(rebasing: mix[pending]) }

  /// Records that `frames` frames of the block have been written.
  func wrote(_ frames: Int) {
    pending = (pending.lowerBound + frames * channels)..<pending.upperBound
  }

  /// Discards the unwritten part of the block; the caller then ends all voices.
  func discard(at position: Int) {
    pending = 0..<0
    reportLimit(at: position, isEnding: true)
  }

  /// Puts the master gain at its target and resets the limiter, because there are no voices.
  func reset() {
    master = SmoothedGain(volume.setting.gain)
    limiter.reset()
  }

  /// Mixes the next block, which begins at the device frame `position`; the device holds `held`
  /// frames.
  func mix(_ voices: VoiceTable, at position: Int, held: Int) {
    voices.moveBusGains(by: period)
    isStale = true
    pending = 0..<mix.count
    let soundingBefore = voices.soundingCount
    for index in 0..<voices.count where voices[index].playhead.endsAt == nil {
      mix(voices[index], at: position, held: held)
    }
    overwriteStale(from: 0)
    master.follow(volume.setting, at: rate)
    apply(&master, to: mix, mix.count)
    limit(at: position, isEnding: voices.soundingCount < soundingBefore)
  }

  private func mix(_ voice: Voice, at position: Int, held: Int) {
    // The order matters: if the input has ended before the ring is read, the ring holds all
    // remaining frames.
    let isComplete = voice.hasInputEnded
    let isRefilling = !isComplete && voice.isRefilling(held: held)
    if voice.readableFrames == 0 {
      voice.waitedFrames = 0
    } else if isRefilling {
      voice.waitedFrames += period
    }
    let readable = isRefilling ? 0 : voice.readableFrames
    let wasSilent = voice.transport.phase == .silent
    let wanted = voice.transport.begin(
      readable: readable, isComplete: isComplete, block: period)
    if wasSilent, wanted > 0 { voice.soundsSince = voice.playhead.mixed }
    let isSounding = voice.transport.phase == .sounding
    let isLast = isSounding && isComplete && readable < wanted && voice.closeInput()
    let frames =
      wanted > 0 ? add(voice, atMost: isRefilling ? 0 : wanted, isComplete: isLast) : 0
    if voice.ring.readable * 2 <= voice.ring.capacity, voice.roomRequest.consume() {
      voice.wakeFeeder()
    }
    voice.transport.end(took: frames, of: wanted, isLast: isLast)
    let waitsForSource = voice.transport.phase == .silent && voice.transport.needsSource
    let isLate = waitsForSource || (isSounding && !isLast && frames < wanted)
    place(voice, frames, isLate: isLate, at: position)
    // Once the bus's ramp has ended, a silent voice discards its bus gain. When the voice sounds
    // again, it begins at the bus's volume instead of ramping to it.
    if wanted == 0, voice.busGain?.isSteady == true { voice.busGain = nil }
  }

  /// Updates the playhead of a voice that contributed `frames` frames to this block.
  private func place(_ voice: Voice, _ frames: Int, isLate: Bool, at position: Int) {
    let isEnding = voice.transport.phase == .over
    let missing = isEnding ? 0 : period - frames
    voice.playhead.mix(frames, missing: missing, at: position)
    voice.isInDropout = isLate
    if isLate { voice.unreported.starved = (voice.unreported.starved ?? 0) + missing }
    if isEnding { voice.playhead.end(at: position + frames) }
  }

  /// Adds at most `length` frames of a voice with their gains; returns their number.
  ///
  /// If frames are missing, the voice fades out before the dropout and in after it, unless its
  /// input is complete.
  private func add(_ voice: Voice, atMost length: Int, isComplete: Bool) -> Int {
    let target = isStale ? mix : scratch
    let room = UnsafeMutableBufferPointer(rebasing: target[..<(length * channels)])
    let frames = voice.ring.tryRead(into: room) / channels
    if frames > 0 {
      _ = voice.lastFrame.update(
        fromContentsOf: target[((frames - 1) * channels)..<(frames * channels)])
    }
    let audible = voice.fadeDropout(
      in: room, frames: frames, isLate: frames < length && !isComplete)
    let count = audible * channels
    // This uses a copy of the gains, because `moveBusGains` advances them to the next block.
    if var bus = voice.busGain {
      apply(&bus.volume, to: target, count)
      apply(&bus.ducking, to: target, count)
    }
    apply(&voice.transport.volume, to: target, count)
    apply(&voice.transport.fade, to: target, count)
    if isStale {
      overwriteStale(from: count)
    } else {
      for index in 0..<count { mix[index] += scratch[index] }
    }
    return frames
  }

  private func overwriteStale(from sample: Int) {
    guard isStale else { return }
    isStale = false
    UnsafeMutableBufferPointer(rebasing: mix[sample...]).update(repeating: 0)
  }

  /// Multiplies the first `count` samples by the gains of their frames.
  private func apply(
    _ gain: inout SmoothedGain, to samples: UnsafeMutableBufferPointer<Float>, _ count: Int
  ) {
    if gain.isSteady && gain.current == 1 { return }
    for frame in stride(from: 0, to: count, by: channels) {
      let value = gain.next()
      for channel in 0..<channels { samples[frame + channel] *= value }
    }
  }

  /// Limits the block to ±1.
  ///
  /// If a voice ends in this block, the limiter's gain is reported before that end.
  private func limit(at position: Int, isEnding: Bool) {
    limiter.note(limiter.apply(to: mix, channels: channels), at: position)
    reportLimit(at: position, isEnding: isEnding)
  }

  private func reportLimit(at position: Int, isEnding: Bool) {
    guard let gain = limiter.dueReport(at: position, isEnding: isEnding),
      events.tryWrite(.limited(gain: gain))
    else { return }
    limiter.markReported()
  }
}

extension Voice {
  /// Avoids clicks at dropouts: the voice fades out before missing frames and in after them, over
  /// 5 ms or one block, whichever is shorter.
  ///
  /// If the voice has fewer frames than the fade, the last frame is held and faded.
  ///
  /// - Parameters:
  ///   - block: the voice's samples, which are faded in place.
  ///   - frames: the number of the block's frames that the voice has.
  ///   - isLate: whether the block's remaining frames are missing.
  /// - Returns: the number of audible frames, including repetitions of the last frame.
  func fadeDropout(
    in block: UnsafeMutableBufferPointer<Float>, frames: Int, isLate: Bool
  ) -> Int {
    guard isFadedOut || isLate else { return frames }
    let channels = format.channelCount
    let fade = FrameCount(.milliseconds(5), at: format.sampleRate).rawValue
    let length = max(1, min(fade, block.count / channels))
    let end = isLate && !isFadedOut ? max(frames, length) : frames
    for frame in 0..<end {
      let rising = isFadedOut ? frame + 1 : length
      let falling = isLate ? end - 1 - frame : length
      let gain = Float(min(rising, falling, length)) / Float(length)
      for channel in 0..<channels {
        let index = frame * channels + channel
        block[index] = gain * (frame < frames ? block[index] : lastFrame[channel])
      }
    }
    isFadedOut = isLate || (isFadedOut && frames == 0)
    return end
  }
}
