import SoundCard
import Synchronization

/// What the card's thread and the reporter say to each other about a device that is lost.
final class CardAbsence: Sendable {
  /// What the card's thread is to do.
  enum Answer {
    case wait
    /// The device is back, and in its place.
    case goOn
    /// Nobody waits for it any more.
    case end(SoundCardError)
  }

  private enum Phase {
    case present
    case away(SoundCardError)
    case back(any PlaybackPCM)
    case over(SoundCardError)
  }

  // Held for a few instructions; the card's thread takes it only while the device is lost.
  private let phase = Mutex(Phase.present)
  private let hanging = Atomic<Bool>(false)
  private let replace: @Sendable (any PlaybackPCM) -> Void

  /// - Parameter replace: puts a device in the place of the one that was lost, on the
  ///   card's thread.
  init(replace: @escaping @Sendable (any PlaybackPCM) -> Void) {
    self.replace = replace
  }

  deinit {
    if case .back(let pcm) = phase.withLock({ $0 }) { pcm.close() }
  }

  // The card's thread.

  /// The device is lost; false where nobody will say that it is back.
  func begin(_ error: SoundCardError) -> Bool {
    phase.withLock { phase in
      if case .over = phase { return false }
      phase = .away(error)
      return true
    }
  }

  /// What to do now.
  func look() -> Answer {
    let (answer, pcm) = phase.withLock { phase in
      switch phase {
      case .present, .away: return (Answer.wait, nil as (any PlaybackPCM)?)
      case .over(let error): return (.end(error), nil)
      case .back(let pcm):
        phase = .present
        return (.goOn, pcm)
      }
    }
    if let pcm { replace(pcm) }
    return answer
  }

  /// Whether it was thought to hang until now, once.
  func takeHanging() -> Bool {
    hanging.load(ordering: .relaxed) && hanging.exchange(false, ordering: .relaxed)
  }

  // The reporter.

  /// The card's thread does not come back from a call.
  func hang() { hanging.store(true, ordering: .relaxed) }

  /// What the device was lost with; nil where it is there.
  var loss: SoundCardError? {
    phase.withLock { if case .away(let error) = $0 { error } else { nil } }
  }

  /// The device is back, unless it is not missed any more.
  func give(_ pcm: any PlaybackPCM) {
    let isMissed = phase.withLock { phase in
      guard case .away = phase else { return false }
      phase = .back(pcm)
      return true
    }
    if !isMissed { pcm.close() }
  }

  /// Nobody waits for the device any more.
  func end(_ error: SoundCardError) {
    let unused = phase.withLock { phase in
      defer { phase = .over(error) }
      let unused: (any PlaybackPCM)? = if case .back(let pcm) = phase { pcm } else { nil }
      return unused
    }
    unused?.close()
  }
}
