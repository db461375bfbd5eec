import AudioCore
import AudioThreads
import SoundCard

extension CardThread {
  /// Waits until what was written has been heard, for as long as the drain's clock says.
  func drain() throws(SoundCardError) {
    let left = try delay().duration(at: rate)
    guard var clock = drainClock else {
      let buffer = configuration.buffer.duration(at: rate)
      drainClock = DrainClock(delay: left, buffer: buffer, at: pcm.elapsed)
      return try pcm.start()
    }
    guard case .wait(let pause) = clock.look(delay: left, at: pcm.elapsed) else {
      return position.finish()
    }
    drainClock = clock
    // Where the device is lost, what it is seen to have played is all that is not repeated.
    let most = isAnyoneWaiting ? min(pause, periodLength) : pause
    guard case .interrupted(let interruption) = try pcm.wait(for: .nothing, atMost: most) else {
      return
    }
    switch interruption.cause {
    // A device that runs dry now has done what it should.
    case .xrun: position.finish()
    case .suspended: handle(interruption)
    }
  }

  /// Whether a voice has been heard to its end, or been waited for as long as the drain's clock
  /// says, also where others sound on.
  func isOver(_ voice: Voice) -> Bool {
    if voice.position.isOver(position.heard) { return true }
    guard let end = voice.position.endsAt, position.written >= end else {
      voice.endClock = nil
      return false
    }
    let left = FrameCount(end - position.heard).duration(at: rate)
    guard voice.endClock != nil else {
      let buffer = configuration.buffer.duration(at: rate)
      voice.endClock = DrainClock(delay: left, buffer: buffer, at: pcm.elapsed)
      return false
    }
    return voice.endClock?.look(delay: left, at: pcm.elapsed) == .over
  }

  /// Gives up on a device that takes no frames: what is to end anyway sooner than the rest, for
  /// which the device is lost then.
  func considerStall() throws(SoundCardError) {
    switch stall.verdict {
    case .fine: return
    case .late: if isEverythingEnding { try giveUp() }
    case .stalled:
      if isEverythingEnding { return try giveUp() }
      throw .stalled(configuration.device, .playback)
    }
  }

  /// Whether every voice is stopping or mixed to its end.
  private var isEverythingEnding: Bool {
    for index in 0..<voices.count where voices[index].position.endsAt == nil {
      if !voices[index].isStopping { return false }
    }
    return true
  }

  /// Ends all voices where they are; what the device holds is thrown away.
  private func giveUp() throws(SoundCardError) {
    try pcm.drop()
    leastDelay.forget()
    unheard.forget()
    block.discard()
    // The end of a voice may be in the block that is thrown away.
    for index in 0..<voices.count where voices[index].position.endsAt ?? .max > position.written {
      voices[index].position.end(at: position.written)
    }
    position.finish()
  }
}
