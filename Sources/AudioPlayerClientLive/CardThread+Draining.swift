import AudioCore
import AudioThreads
import SoundCard

extension CardThread {
  /// Waits until what was written has been heard, at most as long as it takes plus a quarter of a
  /// second.
  func drain() throws(SoundCardError) {
    let left = pcm.delay.duration(at: rate)
    guard let deadline = drainDeadline else {
      drainDeadline = pcm.elapsed + left + .milliseconds(250)
      return try pcm.start()
    }
    if pcm.elapsed >= deadline { return position.finish() }
    let pause = min(max(left, .milliseconds(1)), .milliseconds(50))
    // A device that runs dry now has done what it should.
    if case .interrupted(let interruption) = try pcm.wait(for: .nothing, atMost: pause),
      interruption.cause == .xrun
    {
      position.finish()
    }
  }

  /// Gives up on a device that takes no frames: at once what is to end anyway, the rest after five
  /// seconds.
  func considerStall() throws(SoundCardError) {
    switch stall.verdict {
    case .fine: return
    case .late: if isEverythingEnding { giveUp() }
    case .stalled:
      if isEverythingEnding { return giveUp() }
      throw .failed(
        pcm.configuration.device, operation: "playback", code: 0, reason: "it takes no frames")
    }
  }

  /// Whether every voice is stopping or mixed to its end.
  private var isEverythingEnding: Bool {
    for index in 0..<voices.count where voices[index].endsAt == nil {
      if !voices[index].isStopping { return false }
    }
    return true
  }

  /// Ends all voices where they are; what the device holds is thrown away.
  private func giveUp() {
    pcm.drop()
    block.discard()
    for index in 0..<voices.count where voices[index].endsAt == nil {
      voices[index].endsAt = position.written
    }
    position.finish()
  }
}
