import AudioThreads
import Synchronization

/// Turns what the card's thread says into reports to the voices, on a thread of its own.
final class Reporter: Sendable {
  private struct State {
    var voices: [ObjectIdentifier: Voice] = [:]
    var outcome: Result<Void, any Error>?
  }

  private let link: CardLink
  // Held by the reporter and the control side for a few instructions; the card's thread never sees
  // it.
  private let state = Mutex(State())

  init(link: CardLink) {
    self.link = link
  }

  /// Whether the device has failed.
  var hasFailed: Bool {
    if case .failure = state.withLock({ $0.outcome }) { true } else { false }
  }

  /// Admits a voice; false where the device has failed.
  ///
  /// Throws where there are as many as can be mixed.
  func admit(_ voice: Voice) throws(TooManyVoices) -> Bool {
    let isFull = state.withLock { state -> Bool? in
      guard state.outcome == nil else { return nil }
      guard state.voices.count < VoiceTable.limit else { return true }
      state.voices[ObjectIdentifier(voice)] = voice
      return false
    }
    if isFull == true { throw TooManyVoices(limit: VoiceTable.limit) }
    return isFull != nil
  }

  /// Notes how the card's thread ended; the reporter ends after it has said so.
  func end(_ outcome: Result<Void, any Error>) {
    state.withLock { $0.outcome = outcome }
    link.news.signal()
  }

  func run() {
    while true {
      let outcome = state.withLock { $0.outcome }
      passOnEvents()
      passOnProgress()
      guard let outcome else {
        link.news.wait()
        continue
      }
      return finish(outcome)
    }
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
      voice.report(.failed(error))
    }
  }

  private var voices: [Voice] { state.withLock { Array($0.voices.values) } }
}
