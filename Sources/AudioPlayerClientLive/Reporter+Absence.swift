import AudioCore
import AudioThreads
import SoundCard
import Synchronization

extension Reporter {
  /// A device that is lost, and the voices that know.
  struct Absence {
    let watch: ReturnWatch<ObjectIdentifier, any PlaybackPCM>
    /// What the device was lost with.
    let error: SoundCardError
    /// Whether nobody can be heard; it is not over before something is heard again.
    var isAway = true
    var gap = Duration.zero
    var told: Set<ObjectIdentifier> = []

    mutating func leave(_ voice: Voice) {
      told.remove(ObjectIdentifier(voice))
      watch.leave(ObjectIdentifier(voice))
    }
  }

  /// The device is lost, and its thread has let go of what it worked on: where a voice waits, the
  /// device is opened again.
  func lose(_ error: any Error) {
    state.withLock { ($0.pcm, $0.cardThread) = (nil, nil) }
    // What it had to tell before comes before.
    passOnNews()
    guard let reopening, let error = error as? SoundCardError, error.isLoss,
      voices.contains(where: { $0.onDeviceLoss != .fail })
    else { return end(.failure(error)) }
    mixer.lose()
    beAway(with: error, reopening)
  }

  /// The device plays again.
  func comeBack() {
    guard let absence = state.withLock({ $0.absence.take() }) else { return }
    absence.watch.end()
    for voice in voices where absence.told.contains(ObjectIdentifier(voice)) {
      voice.report(.deviceReturned(gap: absence.gap))
    }
  }

  /// Tells those who have not been told, lets go those who do not wait, and has the device driven
  /// when it is back.
  func passOnAbsence() {
    guard let absence = state.withLock({ $0.absence }), absence.isAway else { return }
    guard mixer.serveUnheard() else { return end(.success(())) }
    passOnNews()
    for voice in voices { tell(voice, absence) }
    for name in absence.watch.takeExpired() {
      if let voice = state.withLock({ $0.voices[name] }) { end(voice, absence.error) }
    }
    if let (device, gap) = absence.watch.takeDevice() { return take(device, after: gap, absence) }
    if absence.watch.isOver { giveUp(absence, absence.error) }
  }

  private func beAway(with error: SoundCardError, _ reopening: DeviceReopening) {
    // Nobody waits any more who waited for the last one.
    let last = state.withLock { state in
      state.absence?.watch.isOver == true ? state.absence.take() : nil
    }
    last?.watch.end()
    let isNew = state.withLock { state in
      state.absence?.isAway = true
      state.absence?.watch.lose()
      if state.absence != nil { return false }
      let watch = reopening.watch { [link] in link.news.signal() }
      state.absence = Absence(watch: watch, error: error)
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
    // Its place is free when it is looked at next.
    link.news.signal()
  }

  private func take(_ device: any PlaybackPCM, after gap: Duration, _ absence: Absence) {
    do {
      try checkFormat(of: device.configuration)
      try drive(device)
      state.withLock { state in
        state.absence?.isAway = false
        state.absence?.gap = gap
      }
    } catch {
      device.close()
      for voice in voices { end(voice, error) }
      giveUp(absence, error)
    }
  }

  /// A device with another format does not count as returned: the mix does not fit it.
  private func checkFormat(of found: PCMConfiguration) throws(SoundCardError) {
    let wanted = mixer.configuration.format
    guard found.format != wanted else { return }
    throw .unsupported(
      found.device,
      reason: "it was lost, and is back with \(found.format) in the place of \(wanted)")
  }

  private func giveUp(_ absence: Absence, _ error: any Error) {
    state.withLock { $0.absence = nil }
    absence.watch.end()
    end(.failure(error))
  }
}
