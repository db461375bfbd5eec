import AudioCore

/// What is to be written of a stream, without a file: every step returns what is to be done.
struct TeeMachine {
  enum Action: Equatable {
    case open(AudioFormat)
    /// So many frames of silence.
    case silence(FrameCount)
    case write(AudioBuffer)
    case close
  }

  private enum State {
    case untouched
    case writing
    case over
  }

  private let gaps: TeePolicy.Gaps
  private var state = State.untouched
  private var continuity = Continuity()

  init(gaps: TeePolicy.Gaps) {
    self.gaps = gaps
  }

  mutating func take(_ buffer: AudioBuffer) -> [Action] {
    let step = continuity.note(buffer)
    switch state {
    case .over: return []
    case .untouched:
      state = .writing
      return [.open(buffer.format), .write(buffer)]
    case .writing:
      guard case .gap(let missing) = step, gaps == .silence else { return [.write(buffer)] }
      return [.silence(missing), .write(buffer)]
    }
  }

  /// The stream has ended, or the file has failed.
  mutating func end() -> [Action] {
    defer { state = .over }
    return state == .writing ? [.close] : []
  }
}
