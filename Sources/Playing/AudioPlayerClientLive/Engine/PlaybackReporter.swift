import AudioCore
import AudioThreads
import SoundCard
import Synchronization

/// Reports the audio thread's events to the voices, on its own thread, and starts a new audio
/// thread when a lost device returns.
final class PlaybackReporter: Sendable {
  private struct State {
    var registry = VoiceRegistry()
    /// The open device and its audio thread; nil while the device is lost.
    var pcm: MonitoredPlayback?
    var audioThread: DedicatedThread?
    /// How that thread ended.
    var threadOutcome: Result<Void, SoundCardError>?
    /// How the engine ended.
    var outcome: Result<Void, any Error>?
    var isEnding = false
    var absence: DeviceAbsence?
  }

  private let link: PlaybackLink
  /// The object that audio threads run, one after the other; this thread's while the device is lost.
  private let playback: PlaybackThread
  private let reopening: DeviceReopening?
  // Held for a few instructions by the reporter and control threads; the audio thread never takes it.
  private let state = Mutex(State())

  /// - Parameter reopening: how a lost device is opened again; nil if it is not.
  init(_ playback: PlaybackThread, reopening: DeviceReopening? = nil) {
    link = playback.link
    self.playback = playback
    self.reopening = reopening
  }

  // MARK: Any thread

  /// Starts an audio thread for a device.
  func drive(_ device: any PlaybackPCM) throws(ThreadError) {
    let pcm = MonitoredPlayback(device)
    playback.begin(on: pcm)
    state.withLock { $0.pcm = pcm }
    // It holds the time of a virtual card until the thread has taken it over.
    link.commandHold?.begin()
    let thread = try DedicatedThread.start(name: "syrinx-play") { [self] in
      pcm.adoptThread()
      pcm.close(after: Result { () throws(SoundCardError) in try playback.run() }) { outcome in
        state.withLock { $0.threadOutcome = outcome }
        link.wakeReporter()
      }
    }
    // The device may have been lost already.
    state.withLock { if $0.pcm === pcm { $0.audioThread = thread } }
  }

  /// The thread of the open device.
  var audioThread: DedicatedThread? { state.withLock { $0.audioThread } }

  /// Wakes the audio thread, or this one if the device is lost.
  func wake() {
    guard let pcm = state.withLock({ $0.pcm }) else { return link.wakeReporter() }
    link.commandHold?.begin()
    pcm.waker.signal()
  }

  /// Whether the engine has ended because of its device.
  var hasFailed: Bool {
    if case .failure = state.withLock({ $0.outcome }) { true } else { false }
  }

  /// Whether the device is lost and may return.
  var isAway: Bool { state.withLock { $0.absence?.isAway == true } }

  /// Reserves a place for the voice to be admitted next; false if all are taken.
  ///
  /// Voices that a hanging thread has not released keep theirs.
  func reserve() -> Bool {
    state.withLock { $0.registry.reserve() }
  }

  /// Admits a voice to its reserved place; false if the device has failed.
  func admit(_ voice: Voice) -> Bool {
    let isAdmitted = state.withLock { state in
      let isLost = state.absence?.isAway == true && voice.onDeviceLoss == .fail
      guard state.outcome == nil, !isLost else {
        state.registry.cancelReservation()
        return false
      }
      state.registry.admit(voice)
      return true
    }
    // The reporter sleeps without a timeout while nothing plays.
    link.wakeReporter()
    return isAdmitted
  }

  /// Sets how the engine ends; the first outcome counts.
  func end(_ outcome: Result<Void, any Error>) {
    state.withLock { state in
      if state.outcome == nil { state.outcome = outcome }
    }
    link.wakeReporter()
  }

  /// Records that the audio thread will quit; from now on it is monitored even while nothing plays.
  func expectEnd() {
    state.withLock { $0.isEnding = true }
    link.wakeReporter()
  }

  // MARK: The reporter's thread

  func run() {
    var watch = HeartbeatWatch()
    // From now on no thread would end these holds.
    defer {
      link.newsHold?.close()
      link.commandHold?.close()
    }
    while true {
      let newsCount = link.newsHold?.count
      // The outcome must be read before the ring. The audio thread writes its last event before its
      // outcome, so that a ring read after the outcome holds all of its events.
      let threadOutcome = state.withLock { $0.threadOutcome.take() }
      passOnEvents()
      if let threadOutcome {
        watch = HeartbeatWatch()
        switch threadOutcome {
        case .success: end(.success(()))
        case .failure(let error): lose(error)
        }
      }
      serveAbsence()
      if let outcome = state.withLock({ $0.outcome }) { return finish(outcome) }
      link.newsHold?.end(at: newsCount)
      waitForNews(&watch)
    }
  }

  /// Whether every voice was stopped, or the engine quits.
  private var isEnding: Bool {
    state.withLock { $0.isEnding || $0.registry.voices.allSatisfy(\.isStopping) }
  }

  private var voices: [Voice] { state.withLock { $0.registry.voices } }

  /// Sleeps until there is news; while something plays, a device that hangs is news, too.
  private func waitForNews(_ watch: inout HeartbeatWatch) {
    let pcm = state.withLock { $0.isEnding || !$0.registry.isEmpty ? $0.pcm : nil }
    guard let monitor = pcm?.monitor else {
      link.news.wait()
      return
    }
    do throws(SoundCardError) {
      while try !monitor.wait(for: link.news, &watch, isEnding: isEnding) {}
    } catch {
      watch = HeartbeatWatch()
      lose(error)
    }
  }

  private func passOnEvents() {
    while let event = link.events.tryRead() {
      switch event {
      case .finished(let reference): release(reference.takeRetainedValue())
      // The audio thread has not released the voice yet, so that the registry still holds it.
      case .starved(let reference, let frames):
        reference.takeUnretainedValue().report(.starved(frames: frames))
      case .silence(let reference, let frames):
        reference.takeUnretainedValue().report(.silence(frames: frames))
      case .limited(let gain):
        for voice in voices { voice.report(.limited(gain: gain)) }
      case .returned: endAbsence()
      }
    }
    for voice in voices {
      reportSettlement(of: voice)
      voice.report(.played(frames: voice.playedFrames.load(ordering: .relaxed)))
    }
  }

  private func reportSettlement(of voice: Voice) {
    let (serial, frame, isPaused) = voice.settlement
    voice.report(.settled(serial: serial, frame: frame, isPaused: isPaused))
  }

  /// The audio thread has released a voice, whose end may have been reported before.
  private func release(_ voice: Voice) {
    let isKnown = state.withLock { state in
      state.absence?.leave(voice)
      return state.registry.remove(voice)
    }
    if isKnown { conclude(voice, nil) }
  }

  /// Ends a voice before the audio thread releases it.
  private func end(_ voice: Voice, _ error: any Error) {
    let isKnown = state.withLock { state in
      state.absence?.leave(voice)
      return state.registry.retire(voice)
    }
    if isKnown { conclude(voice, error) }
    // The audio thread releases the voice when it runs again.
    link.wakeReporter()
  }

  /// Makes the last report; a voice that was to stop anyway has not failed.
  private func conclude(_ voice: Voice, _ error: (any Error)?) {
    reportSettlement(of: voice)
    voice.close()
    let played = voice.playedFrames.load(ordering: .relaxed)
    if let error, !voice.isStopping {
      voice.report(.failed(error, played: played))
    } else {
      voice.report(.finished(played: played))
    }
  }

  private func finish(_ outcome: Result<Void, any Error>) {
    state.withLock { $0.absence.take() }?.watch.end()
    playback.removeVoices()
    let (known, _) = state.withLock { $0.registry.removeAll() }
    guard case .failure(let error) = outcome else { return }
    for voice in known { conclude(voice, error) }
  }

  // MARK: A lost device

  /// The device is lost, and its thread has released the playback; if a voice waits, the device is
  /// opened again.
  private func lose(_ error: any Error) {
    state.withLock { ($0.pcm, $0.audioThread) = (nil, nil) }
    link.commandHold?.end()
    // Events from before the loss come first.
    passOnEvents()
    guard let reopening, let error = error as? SoundCardError, error.isLoss,
      voices.contains(where: { $0.onDeviceLoss != .fail })
    else { return end(.failure(error)) }
    playback.lose()
    beginAbsence(error, reopening)
  }

  private func beginAbsence(_ error: SoundCardError, _ reopening: DeviceReopening) {
    // The voices that waited during the last absence may all have given up.
    let last = state.withLock { state in
      state.absence?.watch.isOver == true ? state.absence.take() : nil
    }
    last?.watch.end()
    let isNew = state.withLock { state in
      state.absence?.isAway = true
      state.absence?.watch.lose()
      if state.absence != nil { return false }
      let watch = reopening.watch { [link] in link.wakeReporter() }
      state.absence = DeviceAbsence(watch: watch, error: error)
      return true
    }
    guard isNew else { return }
    serveAbsence()
    state.withLock { $0.absence }?.watch.start()
  }

  /// While the device is lost: performs commands, informs voices, ends those that do not wait, and
  /// starts an audio thread once the device is open.
  private func serveAbsence() {
    guard let absence = state.withLock({ $0.absence }), absence.isAway else { return }
    guard playback.serveInSilence() else { return end(.success(())) }
    passOnEvents()
    for voice in voices { inform(voice, of: absence) }
    for id in absence.watch.takeExpired() {
      if let voice = state.withLock({ $0.registry.voice(id) }) { end(voice, absence.error) }
    }
    if let (device, gap) = absence.watch.takeDevice() { return take(device, after: gap, absence) }
    if absence.watch.isOver { giveUp(absence, absence.error) }
  }

  private func inform(_ voice: Voice, of absence: DeviceAbsence) {
    let id = ObjectIdentifier(voice)
    if voice.isStopping { return end(voice, absence.error) }
    guard !absence.informed.contains(id) else { return }
    guard case .wait(let limit) = voice.onDeviceLoss else { return end(voice, absence.error) }
    state.withLock { _ = $0.absence?.informed.insert(id) }
    absence.watch.join(id, atMost: limit)
    voice.report(.deviceLost)
  }

  private func take(_ device: any PlaybackPCM, after gap: Duration, _ absence: DeviceAbsence) {
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

  /// Throws if a returned device has another format, which the mix does not fit.
  private func checkFormat(of found: PCMConfiguration) throws(SoundCardError) {
    let wanted = playback.configuration.format
    guard found.format != wanted else { return }
    throw .unsupported(
      found.device, reason: "it was lost, and it returned with \(found.format) instead of \(wanted)"
    )
  }

  /// A returned device plays.
  private func endAbsence() {
    guard let absence = state.withLock({ $0.absence.take() }) else { return }
    absence.watch.end()
    for voice in voices where absence.informed.contains(ObjectIdentifier(voice)) {
      voice.report(.deviceReturned(gap: absence.gap))
    }
  }

  private func giveUp(_ absence: DeviceAbsence, _ error: any Error) {
    state.withLock { $0.absence = nil }
    absence.watch.end()
    end(.failure(error))
  }
}
