import AudioCore
import AudioThreads
import SoundCard

// While the device is lost, the reporter's thread does what is due.
extension CardThread {
  /// The device is lost: time stands still for the voices until it is back.
  ///
  /// What the device was given and had not played, as far as it said, comes first then.
  func lose() {
    position.lose(keeping: unheard.rewind(position.written - position.heard))
    (drainClock, lookedAt, lostAt) = (nil, position.written, position.heard)
  }

  /// Applies commands at once, because the device is silent; false where the engine quits.
  func serveUnheard() -> Bool {
    guard takeCommands() else { return false }
    var index = voices.count
    while index > 0 {
      index -= 1
      settleUnheard(at: index)
    }
    return true
  }

  private func settleUnheard(at index: Int) {
    let voice = voices[index]
    if voice.isOver {
      if link.events.writable > 0 { link.events.tryWrite(.finished(voices.remove(at: index))) }
    } else if voice.position.endsAt == nil {
      voice.attendUnheard()
      _ = voice.settle()
    }
  }

  /// A device is open, in the format that it had, for a thread that is about to run.
  func begin(on pcm: any PlaybackPCM) {
    self.pcm = pcm
    beginAnew()
  }
}

extension CardThread {
  /// Reports that the device is back, once it plays again.
  func tellReturn() {
    guard let lostAt, position.heard > lostAt, link.events.tryWrite(.returned) else { return }
    self.lostAt = nil
    link.news.signal()
  }

  /// Keeps what the device is given, for as long as somebody would wait for it.
  func keepUnheard(_ samples: UnsafeBufferPointer<Float>) {
    if isAnyoneWaiting { unheard.keep(samples) } else { unheard.forget() }
  }

  /// Gives the device what it had not played when it was lost.
  func writeAgain() throws(SoundCardError) {
    try offer(unheard.next(atMost: period)) { unheard.gave($0) }
  }

  /// Whether a voice would wait for the device.
  var isAnyoneWaiting: Bool {
    for index in 0..<voices.count where voices[index].onDeviceLoss != .fail { return true }
    return false
  }
}
