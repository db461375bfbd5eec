import AudioCore
import AudioThreads
import SoundCard
import Synchronization

extension CardThread {
  /// Notes silence that was heard because the device was in trouble, for the voices it fell in.
  func handle(_ interruption: PCMInterruption) {
    leastDelay.forget()
    for index in 0..<voices.count {
      let voice = voices[index]
      // What a device that slept still holds is heard after that.
      if interruption.cause == .suspended { voice.endClock = nil }
      guard voice.position.contains(position.written) else { continue }
      voice.untold.device = (voice.untold.device ?? 0) + interruption.lost.rawValue
    }
  }

  /// What the device says that it has still to play, and no less than it must have.
  func delay() throws(SoundCardError) -> FrameCount {
    max(try pcm.delay(), FrameCount(leastDelay.frames(at: pcm.elapsed)))
  }

  /// Looks where the device is, says what has been heard, and lets go of the voices that are over.
  func observe() throws(SoundCardError) {
    if isLookDue {
      position.observe(delay: try delay().rawValue)
      lookedAt = position.written
    }
    tellReturn()
    let passed = position.heard - reportedAt
    var isNews = false
    var index = voices.count
    while index > 0 {
      index -= 1
      let voice = voices[index]
      let isOver = isOver(voice)
      voice.position.observe(position.heard)
      if isOver { voice.position.finish() }
      voice.heardFrames.store(voice.position.heard, ordering: .relaxed)
      if tellSilence(of: voice) { isNews = true }
      if voice.settle() || passed >= voice.progressFrames { isNews = true }
      guard isOver, voice.untold == UntoldSilence(), link.events.writable > 0 else { continue }
      link.events.tryWrite(.finished(voices.remove(at: index)))
      isNews = true
    }
    guard isNews else { return }
    reportedAt = position.heard
    link.news.signal()
  }

  /// Where nobody follows closely, leaves the device alone until a third of its buffer is free,
  /// though not until it is half empty.
  func rest(room: Int) throws(SoundCardError) {
    let missing = configuration.buffer.rawValue / 3 - room
    guard room < period, missing > period, isSeldomFollowed, block.unwritten.count == 0 else {
      return
    }
    let length = FrameCount(missing).duration(at: rate)
    if case .interrupted(let interruption) = try pcm.wait(for: .nothing, atMost: length) {
      handle(interruption)
    }
  }

  /// Whether the progress of all voices is seldom told, and none of them ends.
  private var isSeldomFollowed: Bool {
    for index in 0..<voices.count {
      let voice = voices[index]
      if voice.position.endsAt != nil || voice.progressFrames <= Self.seldom * period {
        return false
      }
    }
    return true
  }

  /// Whether the device is to be asked where it is: now and then where progress is seldom told.
  private var isLookDue: Bool {
    // Where the device is lost, what it is seen to have played is all that is not repeated.
    isAnyoneWaiting || !isSeldomFollowed || voices.count == 0
      || position.written - lookedAt >= Self.seldom * period
  }

  /// Tells as much of a voice's silence as there is room for; the rest is told later, and what goes
  /// on for long in parts of 50 ms, until the voice is over.
  private func tellSilence(of voice: Voice) -> Bool {
    let reference = Unmanaged.passUnretained(voice)
    var isNews = false
    let isGoingOn = voice.isInHole && voice.position.endsAt == nil
    if let frames = voice.untold.starved, !isGoingOn || frames * 20 >= rate.hertz,
      link.events.tryWrite(.starved(reference, frames: frames))
    {
      voice.untold.starved = nil
      isNews = true
    }
    if let frames = voice.untold.device, link.events.tryWrite(.silence(reference, frames: frames)) {
      voice.untold.device = nil
      isNews = true
    }
    return isNews
  }
}
