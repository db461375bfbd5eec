import AudioCore
import AudioThreads
import SoundCard

extension CardThread {
  /// Whether a source is late that is worth waiting for.
  ///
  /// One that has left a hole already is not, where others sound: the device would stay nearly dry
  /// for them.
  var isStarving: Bool {
    var isInHole = false
    var othersSound = false
    for index in 0..<voices.count where voices[index].position.endsAt == nil {
      let voice = voices[index]
      if !isLate(voice) {
        if voice.transport.phase != .silent { othersSound = true }
      } else if voice.isInHole && voice.readableFrames == 0 {
        isInHole = true
      } else {
        return true
      }
    }
    return isInHole && !othersSound
  }

  /// Whether the source of a voice is late with its next period.
  private func isLate(_ voice: Voice) -> Bool {
    !voice.hasInputEnded && voice.transport.needsSource && voice.readableFrames < period
  }

  /// How long a late source can be waited for before the device runs dry; nil where it is high
  /// time.
  func slackForTheSource() throws(SoundCardError) -> Duration? {
    let slack = try pcm.timeUntilDry - periodLength
    return slack > .milliseconds(1) ? slack : nil
  }

  func mix() {
    block.begin()
    let sounding = soundingCount
    for index in 0..<voices.count where voices[index].position.endsAt == nil { mix(voices[index]) }
    let gain = link.volume.gain
    if gain != master.target { master.move(to: gain, in: rampFrames) }
    block.apply(&master)
    limit(isEnding: soundingCount < sounding)
  }

  /// Takes note of what is wished of the voices.
  func attend() {
    for index in 0..<voices.count where voices[index].position.endsAt == nil {
      voices[index].attend()
    }
  }

  private func mix(_ voice: Voice) {
    // Read before the ring: what is there after the end of the input is all that there will be.
    let isComplete = voice.hasInputEnded
    let readable = voice.readableFrames
    let supply = VoiceTransport.Supply(readable: readable, isComplete: isComplete)
    let wasSilent = voice.transport.phase == .silent
    let wanted = voice.transport.begin(supply, block: period)
    if wasSilent, wanted > 0 { voice.soundsSince = voice.position.mixed }
    let isSounding = voice.transport.phase == .sounding
    let isLast = isSounding && isComplete && readable < wanted && voice.closeInput()
    let frames = wanted > 0 ? block.add(voice, atMost: wanted, isComplete: isLast) : 0
    if voice.ring.readable * 2 <= voice.ring.capacity, voice.roomWish.take() { voice.room.signal() }
    voice.transport.end(took: frames, of: wanted, isLast: isLast)
    let waitsForSource = voice.transport.phase == .silent && voice.transport.needsSource
    place(voice, frames, isLate: waitsForSource || (isSounding && !isLast && frames < wanted))
  }

  /// Notes where a voice is now; what it lacks of a period, and does not end with, is silence.
  private func place(_ voice: Voice, _ frames: Int, isLate: Bool) {
    let isEnding = voice.transport.phase == .over
    let missing = isEnding ? 0 : period - frames
    voice.position.mix(frames, missing: missing, at: position.written)
    voice.isInHole = isLate
    if isLate { voice.untold.starved = (voice.untold.starved ?? 0) + missing }
    if isEnding { voice.position.end(at: position.written + frames) }
  }
}
