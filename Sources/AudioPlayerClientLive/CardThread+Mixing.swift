import AudioCore
import AudioThreads
import SoundCard

extension CardThread {
  /// Whether a source is late with a voice's next period.
  var isStarving: Bool {
    for index in 0..<voices.count {
      let voice = voices[index]
      if voice.position.endsAt != nil || voice.isStopping || voice.hasInputEnded { continue }
      if voice.readableFrames < period { return true }
    }
    return false
  }

  /// How long a late source can be waited for before the device runs dry; nil where it is high
  /// time.
  var slackForTheSource: Duration? {
    let slack = pcm.timeUntilDry - periodLength
    return slack > .milliseconds(1) ? slack : nil
  }

  func mix() {
    block.begin()
    for index in 0..<voices.count where voices[index].position.endsAt == nil { mix(voices[index]) }
    master.move(to: link.volume.gain, in: rampFrames)
    block.apply(&master)
  }

  private func mix(_ voice: Voice) {
    let isStopping = voice.isStopping
    // Read before the ring: what is there after the end of the input is all that there will be.
    let isComplete = voice.hasInputEnded
    if isStopping {
      // What is left of a sound may be shorter than a fade.
      voice.ramp.move(to: 0, in: isComplete ? min(fadeFrames, voice.readableFrames) : fadeFrames)
    }
    let frames = block.add(voice, isComplete: isComplete)
    if voice.ring.readable * 2 <= voice.ring.capacity, voice.roomWish.take() { voice.room.signal() }
    let isShort = frames < period
    let isEnding = (isStopping && voice.ramp.isSteady) || (isShort && (isStopping || isComplete))
    place(voice, frames, isEnding: isEnding)
  }

  /// Notes where a voice is now; what it lacks of a period, and does not end with, is silence.
  private func place(_ voice: Voice, _ frames: Int, isEnding: Bool) {
    let missing = isEnding ? 0 : period - frames
    voice.position.mix(frames, missing: missing, at: position.written)
    if missing > 0 { voice.untold.starved = (voice.untold.starved ?? 0) + missing }
    if isEnding { voice.position.end(at: position.written + frames) }
  }
}
