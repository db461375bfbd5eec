import AudioCore
import AudioThreads
import SoundCard

/// The calls of an engine's thread.
extension VirtualDevice {
  /// Begins a call as the script says: it takes its time, or fails.
  func enter(_ call: VirtualFault.Call) throws(SoundCardError) {
    block(in: call)
    if let error = with({ $0.failure(in: call) }) { throw error }
  }

  /// Blocks the calling thread for as long as the script says of this call.
  func block(in call: VirtualFault.Call) {
    guard let blockade, let block = with({ $0.block(in: call) }) else { return }
    if isUntimed, let time = block.time { return pass(time) }
    let end = block.time.map { elapsed + $0 }
    // What ticks have signalled until now is past.
    blockade.clear()
    let number = plug.blocked.begin(call, blockade)
    while isOpen, !plug.blocked.isReleased, end.map({ elapsed < $0 }) ?? true {
      arrive(isBlocked: true)
      blockade.wait()
    }
    plug.blocked.end(number)
    leave()
  }

  func wait(
    for interest: PCMInterest, atMost timeout: Duration?
  ) throws(SoundCardError) -> PCMWakeUp {
    block(in: .wait)
    let deadline = timeout.map { elapsed + $0 }
    if let wakeUp = try poll(interest) { return wakeUp }
    if let time = timePassing(interest, timeout) {
      repeat { pass(time) } while with { $0.isAsleep }
      return try poll(interest) ?? .timedOut
    }
    if interest == .period || isForTime(timeout) { arrive() }
    waker.wait()
    leave()
    if let wakeUp = try poll(interest) { return wakeUp }
    if let deadline, elapsed >= deadline, !with({ $0.isAsleep }) { return .timedOut }
    return .woken
  }

  private func poll(_ interest: PCMInterest) throws(SoundCardError) -> PCMWakeUp? {
    if let error = with({ $0.isGone ? nil : $0.failure(in: .wait) }) { throw error }
    return try withOpen { $0.poll(interest) }
  }

  /// The time that a wait takes on a card without a clock: what nobody else lets pass.
  private func timePassing(_ interest: PCMInterest, _ timeout: Duration?) -> Duration? {
    guard isUntimed else { return nil }
    if interest == .period {
      return configuration.period.duration(at: configuration.format.sampleRate)
    }
    return isForTime(timeout) ? timeout : nil
  }

  private func pass(_ time: Duration) {
    let frames = FrameCount(time, at: configuration.format.sampleRate)
    with { $0.pass(max(1, frames)) }
  }

  /// Whether an engine that waits for nothing waits for the card's time to pass: for what it wrote to
  /// be heard, or for more to be captured before it serves the card again.
  ///
  /// One that waits for its source or for its consumer has no time-out that the card's buffer could
  /// explain: a capture that can wait has half of the buffer left, and one without room waits longer.
  private func isForTime(_ timeout: Duration?) -> Bool {
    guard let timeout else { return false }
    let buffer = configuration.buffer.duration(at: configuration.format.sampleRate)
    return switch with({ $0.direction }) {
    case .playback: timeout <= buffer + .seconds(1)
    case .capture: timeout <= buffer / 2
    }
  }
}
