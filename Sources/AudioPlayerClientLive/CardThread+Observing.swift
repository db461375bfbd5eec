import AudioCore
import AudioThreads
import SoundCard
import Synchronization

extension CardThread {
  /// Tells of silence that was heard because the device was in trouble.
  func handle(_ interruption: PCMInterruption) {
    link.events.tryWrite(.silence(frames: interruption.lost.rawValue))
    link.news.signal()
  }

  /// Looks where the device is, says what has been heard, and lets go of the voices that are over.
  func observe() throws(SoundCardError) {
    position.observe(delay: try pcm.delay().rawValue)
    var isNews = position.heard - reportedAt >= rate.hertz / 20
    for index in (0..<voices.count).reversed() {
      let voice = voices[index]
      let heard = min(
        voice.mixedFrames, max(0, position.heard - (voice.startedAt ?? position.heard)))
      voice.heardFrames.store(heard, ordering: .relaxed)
      guard let end = voice.endsAt, position.heard >= end, link.events.writable > 0 else {
        continue
      }
      link.events.tryWrite(.finished(voices.remove(at: index)))
      isNews = true
    }
    guard isNews else { return }
    reportedAt = position.heard
    link.news.signal()
  }
}
