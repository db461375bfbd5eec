import AudioCore
import AudioThreads
import SoundCard

extension CardThread {
  /// Whether a source is late with a voice's next period.
  var isStarving: Bool {
    for index in 0..<voices.count {
      let voice = voices[index]
      if voice.endsAt != nil || voice.isStopping || voice.hasInputEnded { continue }
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
    for index in 0..<voices.count where voices[index].endsAt == nil { mix(voices[index], index) }
    master.move(to: link.volume.gain, in: rampFrames)
    block.apply(&master)
  }

  private func mix(_ voice: Voice, _ index: Int) {
    if voice.startedAt == nil { voice.startedAt = position.written }
    // What is left of a sound may be shorter than a fade.
    if voice.isStopping { voice.ramp.move(to: 0, in: min(fadeFrames, voice.readableFrames)) }
    // Read before the ring: what is there after the end of the input is all that there will be.
    let isComplete = voice.hasInputEnded
    let frames = block.add(voice)
    voice.mixedFrames += frames
    if voice.ring.readable * 2 <= voice.ring.capacity, voice.roomWish.take() { voice.room.signal() }
    let hasFaded = voice.isStopping && voice.ramp.isSteady
    if hasFaded || (frames < period && (isComplete || voice.isStopping)) {
      voice.endsAt = position.written + frames
    } else if frames < period {
      link.events.tryWrite(.starved(.passUnretained(voice), frames: period - frames))
      link.news.signal()
    }
  }
}
