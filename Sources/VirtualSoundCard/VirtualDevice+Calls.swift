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
    guard let block = with({ $0.block(in: call) }) else { return }
    if isUntimed, let time = block.time { return pass(time) }
    let end = block.time.map { elapsed + $0 }
    // What was signalled until now is past.
    ticks.clear()
    let number = plug.blocked.begin(call, ticks)
    while isOpen, !plug.blocked.isReleased, end.map({ elapsed < $0 }) ?? true {
      arrive()
      ticks.wait()
    }
    plug.blocked.end(number)
    leave()
  }

  func wait(
    for interest: PCMInterest, atMost timeout: Duration?
  ) throws(SoundCardError) -> PCMWakeUp {
    block(in: .wait)
    if let time = timePassing(interest, timeout) {
      if let wakeUp = try poll(interest) { return wakeUp }
      repeat { pass(time) } while with { $0.isAsleep }
      return try poll(interest) ?? .timedOut
    }
    let deadline = timeout.map { elapsed + $0 }
    while true {
      if let wakeUp = try poll(interest) { return wakeUp }
      // A device that is being resumed is waited for, as long as nobody signals.
      if let deadline, elapsed >= deadline, !with({ $0.isAsleep }) { return .timedOut }
      if waitsForCard(interest, timeout) { arrive() }
      let isSignalled = waker.wait(or: ticks)
      leave()
      if isSignalled { return try poll(interest) ?? .woken }
    }
  }

  private func poll(_ interest: PCMInterest) throws(SoundCardError) -> PCMWakeUp? {
    if let error = with({ $0.isGone ? nil : $0.failure(in: .wait) }) { throw error }
    return try withOpen { $0.poll(interest) }
  }

  /// The time that a wait takes on a card without a clock: what nobody else lets pass.
  private func timePassing(_ interest: PCMInterest, _ timeout: Duration?) -> Duration? {
    guard isUntimed, waitsForCard(interest, timeout) else { return nil }
    return interest == .period ? period : timeout
  }

  private func pass(_ time: Duration) {
    let frames = FrameCount(time, at: configuration.format.sampleRate)
    with { $0.pass(max(1, frames)) }
  }

  /// Whether an engine waits for the card; one that waits for nothing may do so too: for what it
  /// wrote to be heard, for more to be captured before it serves the card again, or for a moment
  /// after it was refused.
  ///
  /// One that waits for its source or for its consumer has no time-out that the card's buffer could
  /// explain: a capture that can wait has half of the buffer left, and one without room
  /// waits longer.
  private func waitsForCard(_ interest: PCMInterest, _ timeout: Duration?) -> Bool {
    guard interest == .nothing else { return true }
    guard let timeout else { return false }
    let buffer = configuration.buffer.duration(at: configuration.format.sampleRate)
    return timeout <= (with { $0.direction } == .playback ? buffer + .seconds(1) : buffer / 2)
  }

  private var period: Duration {
    configuration.period.duration(at: configuration.format.sampleRate)
  }
}
