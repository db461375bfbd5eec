import AudioCore
import AudioThreads
import SoundCard
import Synchronization

extension Reporter {
  /// A device that is lost, and the voices that know.
  struct Absence {
    let watch: ReturnWatch<ObjectIdentifier, any PlaybackPCM>
    /// What the device was lost with.
    var error: SoundCardError
    /// Whether nobody can be heard; it is not over before something is heard again.
    var isAway = true
    var isHanging: Bool
    var gap = Duration.zero
    var told: Set<ObjectIdentifier> = []

    mutating func leave(_ voice: Voice) {
      told.remove(ObjectIdentifier(voice))
      watch.leave(ObjectIdentifier(voice))
    }
  }

  /// The card's thread says that the device is lost.
  func lose() {
    guard let error = link.absence?.loss else { return }
    // What it had to tell before comes before.
    passOnProgress()
    be(awayWith: error, isHanging: false)
  }

  /// The card's thread does not come back from a call: where nobody waits for it, it is given up.
  func hang(_ error: SoundCardError) {
    if isAway { return }
    // It was back, although nothing was heard yet.
    comeBack()
    guard let absence = link.absence, voices.contains(where: { $0.onDeviceLoss != .fail }) else {
      monitor.abandon()
      return end(.failure(error))
    }
    absence.hang()
    be(awayWith: error, isHanging: true)
  }

  /// The device is heard again, or has come back from its call.
  func comeBack() {
    guard let absence = state.withLock({ $0.absence.take() }) else { return }
    let gap = absence.isHanging ? absence.watch.away : absence.gap
    absence.watch.end()
    for voice in voices where absence.told.contains(ObjectIdentifier(voice)) {
      voice.report(.deviceReturned(gap: gap))
    }
  }

  /// Tells those who have not been told, lets go those who do not wait, and passes on the device
  /// when it is back.
  func passOnAbsence() {
    guard let absence = state.withLock({ $0.absence }), absence.isAway else { return }
    for voice in voices { tell(voice, absence) }
    for name in absence.watch.takeExpired() {
      if let voice = state.withLock({ $0.voices[name] }) { end(voice, absence.error) }
    }
    if let (device, gap) = absence.watch.takeDevice() { take(device, after: gap, absence) }
    if absence.watch.isOver { giveUp(absence) }
  }

  private func be(awayWith error: SoundCardError, isHanging: Bool) {
    guard let reopening else { return }
    // Nobody waits any more who waited for the last one.
    let last = state.withLock { state in
      state.absence?.watch.isOver == true ? state.absence.take() : nil
    }
    last?.watch.end()
    let isNew = state.withLock { state in
      state.absence?.isAway = true
      state.absence?.isHanging = isHanging
      state.absence?.watch.lose()
      if state.absence != nil { return false }
      let watch = reopening.watch(isHanging: isHanging) { [link] in link.news.signal() }
      state.absence = Absence(watch: watch, error: error, isHanging: isHanging)
      return true
    }
    guard isNew else { return }
    passOnAbsence()
    state.withLock { $0.absence }?.watch.start()
  }

  private func tell(_ voice: Voice, _ absence: Absence) {
    let name = ObjectIdentifier(voice)
    if voice.isStopping { return end(voice, absence.error) }
    guard !absence.told.contains(name) else { return }
    guard case .wait(let limit) = voice.onDeviceLoss else { return end(voice, absence.error) }
    state.withLock { _ = $0.absence?.told.insert(name) }
    absence.watch.join(name, atMost: limit)
    voice.report(.deviceLost)
  }

  /// Ends a voice that the device was lost for; who wanted it silent has what they wanted.
  private func end(_ voice: Voice, _ error: any Error) {
    let heard = voice.heardFrames.load(ordering: .relaxed)
    finish(voice, voice.isStopping ? .finished(heard: heard) : .failed(error, heard: heard))
    // The card's thread lets go of it; where it comes back from a call, it fades it out first.
    voice.stop()
    monitor.waker.signal()
  }

  /// A device in another format is not what was lost: what is mixed for it does not fit.
  private func take(_ device: any PlaybackPCM, after gap: Duration, _ absence: Absence) {
    let format = device.configuration.format
    if let wanted = reopening?.request.format, format != wanted {
      device.close()
      let error = SoundCardError.unsupported(
        device.configuration.device,
        reason: "it was lost, and is back with \(format) in the place of \(wanted)")
      for voice in voices { end(voice, error) }
      return giveUp(absence, error)
    }
    state.withLock { state in
      state.absence?.isAway = false
      state.absence?.gap = gap
    }
    link.absence?.give(device)
    monitor.waker.signal()
  }

  private func giveUp(_ absence: Absence, _ error: SoundCardError? = nil) {
    state.withLock { $0.absence = nil }
    absence.watch.end()
    link.absence?.end(error ?? absence.error)
    if absence.isHanging {
      monitor.abandon()
      end(.failure(absence.error))
    }
    monitor.waker.signal()
  }
}
