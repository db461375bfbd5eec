import AudioThreads
import SoundCard
import Synchronization

/// Turns what the card's thread says into reports to the voices, on a thread of its own.
final class Reporter: Sendable {
  private struct State {
    var voices: [ObjectIdentifier: Voice] = [:]
    /// The places of voices that are to be admitted.
    var reserved = 0
    var outcome: Result<Void, any Error>?
    var isEnding = false
  }

  private let link: CardLink
  private let monitor: DeviceMonitor
  // Held by the reporter and the control side for a few instructions; the card's thread never sees
  // it.
  private let state = Mutex(State())

  init(link: CardLink, monitor: DeviceMonitor) {
    self.link = link
    self.monitor = monitor
  }

  /// Whether the device has failed.
  var hasFailed: Bool {
    if case .failure = state.withLock({ $0.outcome }) { true } else { false }
  }

  /// Keeps a place for the voice that is admitted next.
  ///
  /// Throws where there are as many as can be mixed.
  func reserve() throws(TooManyVoices) {
    let isFull = state.withLock { state in
      guard state.voices.count + state.reserved < VoiceTable.limit else { return true }
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
      state.voices[ObjectIdentifier(voice)] = voice
      return true
    }
    // It may sleep without looking at a device that plays nothing.
    link.news.signal()
    return isAdmitted
  }

  /// Notes how the card's thread ended; the reporter ends after it has said so.
  ///
  /// Of a thread that was abandoned it has been said already.
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
      let outcome = state.withLock { $0.outcome }
      passOnEvents()
      passOnProgress()
      guard let outcome else {
        waitForNews(&watch)
        continue
      }
      return finish(outcome)
    }
  }

  /// Sleeps until there is news; where something plays, a device that hangs is news.
  private func waitForNews(_ watch: inout HeartbeatWatch) {
    let isWatching = state.withLock { $0.isEnding || !$0.voices.isEmpty }
    guard isWatching else {
      link.news.wait()
      return
    }
    if let error = monitor.wait(for: link.news, &watch) { end(.failure(error)) }
  }

  private func passOnEvents() {
    while let event = link.events.tryRead() {
      switch event {
      case .finished(let reference): finish(reference.takeRetainedValue())
      // The card's thread has not given the voice back yet, so that the reporter's table still
      // holds it.
      case .starved(let reference, let frames):
        reference.takeUnretainedValue().report(.starved(frames))
      case .silence(let reference, let frames):
        reference.takeUnretainedValue().report(.silence(frames))
      case .limited(let gain):
        for voice in voices { voice.report(.limited(gain: gain)) }
      }
    }
  }

  private func passOnProgress() {
    for voice in voices {
      passOnSettlement(of: voice)
      voice.report(.heard(voice.heardFrames.load(ordering: .relaxed)))
    }
  }

  private func passOnSettlement(of voice: Voice) {
    let (serial, frame, isPaused) = voice.settlement
    voice.report(.settled(serial: serial, frame: frame, isPaused: isPaused))
  }

  private func finish(_ voice: Voice) {
    state.withLock { $0.voices[ObjectIdentifier(voice)] = nil }
    passOnSettlement(of: voice)
    voice.close()
    voice.report(.finished(heard: voice.heardFrames.load(ordering: .relaxed)))
  }

  private func finish(_ outcome: Result<Void, any Error>) {
    guard case .failure(let error) = outcome else { return }
    for voice in voices {
      state.withLock { $0.voices[ObjectIdentifier(voice)] = nil }
      voice.close()
      // Who wanted it silent has what they wanted.
      let heard = voice.heardFrames.load(ordering: .relaxed)
      voice.report(voice.isStopping ? .finished(heard: heard) : .failed(error, heard: heard))
    }
  }

  private var voices: [Voice] { state.withLock { Array($0.voices.values) } }
}
