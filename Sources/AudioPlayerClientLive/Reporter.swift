import AudioCore
import AudioThreads
import SoundCard
import Synchronization

/// Turns what the card's thread says into reports to the voices, on a thread of its own, and has the
/// device driven by another card's thread where it was lost and is back.
final class Reporter: Sendable {
  struct State {
    var voices: [ObjectIdentifier: Voice] = [:]
    /// Those who have been told of their end, and whom the card's thread has not given back: they
    /// keep their places, and what it says of them refers to them.
    var leaving: [ObjectIdentifier: Voice] = [:]
    /// The places of voices that are to be admitted.
    var reserved = 0
    /// The device that is open, and its thread; nil while it is lost.
    var pcm: MonitoredPlayback?
    var cardThread: DedicatedThread?
    /// How that thread has ended.
    var ending: Result<Void, SoundCardError>?
    /// How it all ended.
    var outcome: Result<Void, any Error>?
    var isEnding = false
    var absence: Absence?
  }

  let link: CardLink
  /// What a card's thread works on: one after the other, and this one while the device is lost.
  let mixer: CardThread
  let reopening: DeviceReopening?
  // Held by the reporter and the control side for a few instructions; the card's thread never sees
  // it.
  let state = Mutex(State())

  /// - Parameter reopening: how a device that is lost is opened again; nil where it is not.
  init(mixer: CardThread, reopening: DeviceReopening? = nil) {
    link = mixer.link
    self.mixer = mixer
    self.reopening = reopening
  }

  /// Has a thread of its own drive a device from now on.
  func drive(_ device: any PlaybackPCM) throws(ThreadError) {
    let pcm = MonitoredPlayback(device)
    mixer.begin(on: pcm)
    state.withLock { $0.pcm = pcm }
    let thread = try DedicatedThread.start(name: "syrinx-play") { [self] in
      pcm.adoptThread()
      pcm.close(after: Result { () throws(SoundCardError) in try mixer.run() }) { outcome in
        state.withLock { $0.ending = outcome }
        link.news.signal()
      }
    }
    // It may have been lost already.
    state.withLock { if $0.pcm === pcm { $0.cardThread = thread } }
  }

  /// The thread of the device that is open.
  var cardThread: DedicatedThread? { state.withLock { $0.cardThread } }

  /// Wakes the card's thread, or the one that stands in for it.
  func wake() {
    (state.withLock { $0.pcm }?.waker ?? link.news).signal()
  }

  /// Whether the device has failed.
  var hasFailed: Bool {
    if case .failure = state.withLock({ $0.outcome }) { true } else { false }
  }

  /// Whether the device is lost and waited for.
  var isAway: Bool { state.withLock { $0.absence?.isAway == true } }

  /// Keeps a place for the voice that is admitted next.
  ///
  /// Throws where there are as many as can be mixed, with those that a thread which hangs has still
  /// to let go.
  func reserve() throws(TooManyVoices) {
    let isFull = state.withLock { state in
      let taken = state.voices.count + state.leaving.count + state.reserved
      guard taken < VoiceTable.limit else { return true }
      state.reserved += 1
      return false
    }
    if isFull { throw TooManyVoices(limit: VoiceTable.limit) }
  }

  /// Admits a voice to the place that was kept for it; false where the device has failed.
  func admit(_ voice: Voice) -> Bool {
    let isAdmitted = state.withLock { state in
      state.reserved -= 1
      guard state.outcome == nil else { return false }
      if state.absence?.isAway == true, voice.onDeviceLoss == .fail { return false }
      state.voices[ObjectIdentifier(voice)] = voice
      return true
    }
    // It may sleep without looking at a device that plays nothing.
    link.news.signal()
    return isAdmitted
  }

  /// Notes how it all ended; the reporter ends after it has said so.
  func end(_ outcome: Result<Void, any Error>) {
    state.withLock { state in
      if state.outcome == nil { state.outcome = outcome }
    }
    link.news.signal()
  }

  /// The card's thread has been told to end: from now on it is watched also where nothing plays.
  func expectEnd() {
    state.withLock { $0.isEnding = true }
    link.news.signal()
  }

  func run() {
    var watch = HeartbeatWatch()
    while true {
      // Looked at before the events: those that are there now are all that this thread told.
      let ending = state.withLock { $0.ending.take() }
      passOnNews()
      if let ending {
        watch = HeartbeatWatch()
        settle(ending)
      }
      passOnAbsence()
      if let outcome = state.withLock({ $0.outcome }) { return finish(outcome) }
      waitForNews(&watch)
    }
  }

  private func settle(_ ending: Result<Void, SoundCardError>) {
    switch ending {
    case .success: end(.success(()))
    case .failure(let error): lose(error)
    }
  }

  /// Sleeps until there is news; where something plays, a device that hangs is news.
  private func waitForNews(_ watch: inout HeartbeatWatch) {
    let pcm = state.withLock { $0.isEnding || !$0.voices.isEmpty ? $0.pcm : nil }
    guard let monitor = pcm?.monitor else {
      link.news.wait()
      return
    }
    guard let error = monitor.wait(for: link.news, &watch) else { return }
    watch = HeartbeatWatch()
    lose(error)
  }

  /// Passes on what the card's thread has told.
  func passOnNews() {
    passOnEvents()
    for voice in voices {
      passOnSettlement(of: voice)
      voice.report(.heard(voice.heardFrames.load(ordering: .relaxed)))
    }
  }

  private func passOnEvents() {
    while let event = link.events.tryRead() {
      switch event {
      case .finished(let reference): takeBack(reference.takeRetainedValue())
      // The card's thread has not given the voice back yet, so that one of the reporter's tables
      // still holds it.
      case .starved(let reference, let frames):
        reference.takeUnretainedValue().report(.starved(frames))
      case .silence(let reference, let frames):
        reference.takeUnretainedValue().report(.silence(frames))
      case .limited(let gain):
        for voice in voices { voice.report(.limited(gain: gain)) }
      case .returned: comeBack()
      }
    }
  }

  private func passOnSettlement(of voice: Voice) {
    let (serial, frame, isPaused) = voice.settlement
    voice.report(.settled(serial: serial, frame: frame, isPaused: isPaused))
  }

  /// The card's thread gives a voice back, and its place with it; it may have been told of its end
  /// before.
  private func takeBack(_ voice: Voice) {
    let isKnown = state.withLock { state in
      state.absence?.leave(voice)
      state.leaving[ObjectIdentifier(voice)] = nil
      return state.voices.removeValue(forKey: ObjectIdentifier(voice)) != nil
    }
    let heard = voice.heardFrames.load(ordering: .relaxed)
    if isKnown { conclude(voice, .finished(heard: heard)) }
  }

  /// Ends a voice before the card's thread lets go of it.
  func finish(_ voice: Voice, _ report: VoiceReport) {
    let isKnown = state.withLock { state in
      state.absence?.leave(voice)
      guard let known = state.voices.removeValue(forKey: ObjectIdentifier(voice)) else {
        return false
      }
      state.leaving[ObjectIdentifier(voice)] = known
      return true
    }
    if isKnown { conclude(voice, report) }
  }

  private func conclude(_ voice: Voice, _ report: VoiceReport) {
    passOnSettlement(of: voice)
    voice.close()
    voice.report(report)
  }

  private func finish(_ outcome: Result<Void, any Error>) {
    state.withLock { $0.absence.take() }?.watch.end()
    mixer.voices.removeAll()
    // Nothing that refers to them is read any more; they end after the lock is released.
    _ = state.withLock { state in
      defer { state.leaving = [:] }
      return state.leaving
    }
    guard case .failure(let error) = outcome else { return }
    for voice in voices {
      state.withLock { $0.voices[ObjectIdentifier(voice)] = nil }
      voice.close()
      // Who wanted it silent has what they wanted.
      let heard = voice.heardFrames.load(ordering: .relaxed)
      voice.report(voice.isStopping ? .finished(heard: heard) : .failed(error, heard: heard))
    }
  }

  var voices: [Voice] { state.withLock { Array($0.voices.values) } }
}
