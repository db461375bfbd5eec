import AudioCore
import AudioThreads
import SoundCard

extension CardThread {
  /// The device is lost: where a voice waits for it, time stands still until it is back.
  ///
  /// What the device was given and had not played, as far as it said, comes first then.
  func wait(for absence: CardAbsence, after error: SoundCardError) throws(SoundCardError) {
    guard error.isLoss, isAnyoneWaiting, absence.begin(error) else { throw error }
    let waker = pcm.waker
    pcm.close()
    position.lose(keeping: unheard.rewind(position.written - position.heard))
    (drainClock, lookedAt) = (nil, position.written)
    var isTold = false
    while takeCommands() {
      isTold = isTold || link.events.tryWrite(.lost)
      settleUnheard()
      link.news.signal()
      switch absence.look() {
      case .wait: waker.wait()
      case .end(let error): throw error
      case .goOn: return goOn()
      }
    }
  }

  private func goOn() {
    // Whether it has come back from a call does not matter any more.
    _ = link.absence?.takeHanging()
    beginAnew()
    lostAt = position.heard
  }

  /// Tells that the device is back, when it is heard again or has come back from its call.
  func tellReturn() {
    if let lostAt, position.heard > lostAt, link.events.tryWrite(.returned) {
      self.lostAt = nil
      link.news.signal()
    }
    guard let absence = link.absence, absence.takeHanging() else { return }
    link.events.tryWrite(.returned)
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

  /// Nobody hears the device: what is wished is in force at once.
  private func settleUnheard() {
    var index = voices.count
    while index > 0 {
      index -= 1
      let voice = voices[index]
      if voice.isOver {
        guard link.events.writable > 1 else { continue }
        link.events.tryWrite(.finished(voices.remove(at: index)))
      } else if voice.position.endsAt == nil {
        voice.attendUnheard()
        _ = voice.settle()
      }
    }
  }
}
