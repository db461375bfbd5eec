import AudioCore
import AudioThreads
import SoundCard
import Synchronization

extension CardThread {
  /// Notes silence that was heard because the device was in trouble, for the voices it fell in.
  func handle(_ interruption: PCMInterruption) {
    for index in 0..<voices.count {
      let voice = voices[index]
      guard voice.position.contains(position.written) else { continue }
      voice.untold.device = (voice.untold.device ?? 0) + interruption.lost.rawValue
    }
  }

  /// Looks where the device is, says what has been heard, and lets go of the voices that are over.
  func observe() throws(SoundCardError) {
    position.observe(delay: try pcm.delay().rawValue)
    let passed = position.heard - reportedAt
    var isNews = false
    var index = voices.count
    while index > 0 {
      index -= 1
      let voice = voices[index]
      voice.position.observe(position.heard)
      voice.heardFrames.store(voice.position.heard, ordering: .relaxed)
      if tellSilence(of: voice) { isNews = true }
      if voice.settle() || passed >= voice.progressFrames { isNews = true }
      guard voice.position.isOver(position.heard), voice.untold == UntoldSilence(),
        link.events.writable > 0
      else { continue }
      link.events.tryWrite(.finished(voices.remove(at: index)))
      isNews = true
    }
    guard isNews else { return }
    reportedAt = position.heard
    link.news.signal()
  }

  /// Tells as much of a voice's silence as there is room for; the rest is told later.
  private func tellSilence(of voice: Voice) -> Bool {
    let reference = Unmanaged.passUnretained(voice)
    var isNews = false
    if let frames = voice.untold.starved,
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
