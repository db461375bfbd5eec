import AudioCore
import AudioThreads
import CALSA
import Glibc
import SoundCard

extension OpenDevice {
  /// Waits as documented at `PCM.wait`.
  func wait(
    for interest: PCMInterest, atMost timeout: Duration?
  ) throws(SoundCardError) -> PCMWakeUp {
    let pcm = try usable()
    let deadline = timeout.map { MonotonicTime.now + $0 }
    while true {
      if let interruption = takePendingInterruption() { return .interrupted(interruption) }
      if unstarted != nil, let outcome = try wakeUpAfterRecovery(0) { return outcome }
      if interest == .period {
        if rest(until: deadline) { return .woken }
        if let outcome = try readiness(pcm) { return outcome }
      }
      let left = deadline.map { $0 - .now }
      if let outcome = try sleep(pcm, for: interest, atMost: left) { return outcome }
    }
  }

  /// Clears the waker; nil if there was no signal.
  private var woken: PCMWakeUp? { waker.clear() ? .woken : nil }

  private func takePendingInterruption() -> PCMInterruption? {
    defer { pendingInterruption = nil }
    return pendingInterruption
  }

  /// Rests while the device cannot be ready; returns true if the waker ended the rest.
  private func rest(until deadline: MonotonicTime?) -> Bool {
    let now = MonotonicTime.now
    guard let rest = wakeUpThrottle.takeRestUnseen(at: now) else { return false }
    let most = deadline.map { min(rest, $0 - now) } ?? rest
    return waker.isSignaled(within: most.inNanoseconds) && waker.clear()
  }

  /// The result available without sleeping, or nil if the device needs time.
  private func readiness(_ pcm: OpaquePointer) throws(SoundCardError) -> PCMWakeUp? {
    if hasEnded { return .ended }
    let available = snd_pcm_avail_update(pcm)
    guard available >= 0 else { return try wakeUpAfterRecovery(Int32(available)) }
    let buffer = configuration.buffer.rawValue
    let ready = min(available, buffer)
    let now = MonotonicTime.now
    let state = snd_pcm_state(pcm)
    if state == SND_PCM_STATE_RUNNING {
      losses.observe(held: direction == .playback ? buffer - ready : ready, at: .now)
    }
    if ready >= configuration.period.rawValue {
      wakeUpThrottle.ready(ready, at: now)
      return .ready(FrameCount(ready))
    }
    // A suspended plug-in may keep counting and waking.
    if state == SND_PCM_STATE_SUSPENDED { return try wakeUpAfterRecovery(-ESTRPIPE) }
    wakeUpThrottle.observe(ready, at: now)
    // A stopped device never gets more room or frames.
    try start()
    return nil
  }

  private func wakeUpAfterRecovery(_ code: Int32) throws(SoundCardError) -> PCMWakeUp? {
    switch try recover(code) {
    case .nothing: nil
    case .interrupted(let interruption): .interrupted(interruption)
    case .woken: woken
    }
  }

  /// Sleeps once; nil means that the device must be checked again.
  private func sleep(
    _ pcm: OpaquePointer, for interest: PCMInterest, atMost left: Duration?
  ) throws(SoundCardError) -> PCMWakeUp? {
    if let left, left <= .zero { return try checkState(pcm) ?? .timedOut }
    if interest == .period, let rest = wakeUpThrottle.takeRest() {
      let most = left.map { min(rest, $0) } ?? rest
      return waker.isSignaled(within: most.inNanoseconds) ? woken : nil
    }
    switch polls.sleep(
      pcm, for: interest,
      milliseconds: milliseconds(interest == .period ? stateCheckInterval : nil, left))
    {
    case .waker: return woken
    case .timeOut: return try checkState(pcm)
    case .failure(let code): return try wakeUpAfterRecovery(code)
    case .device(let events):
      wakeUpThrottle.woke(at: .now)
      return try handle(events, pcm)
    }
  }

  private func handle(
    _ events: Int32, _ pcm: OpaquePointer
  ) throws(SoundCardError) -> PCMWakeUp? {
    if events & Int32(POLLHUP | POLLNVAL) != 0 { throw lose() }
    guard events & Int32(POLLERR) != 0 else { return nil }
    if let outcome = try checkState(pcm) { return outcome }
    return try wakeUpAfterRecovery(-EIO)
  }

  /// Checks the state of the device and recovers from a failure.
  private func checkState(_ pcm: OpaquePointer) throws(SoundCardError) -> PCMWakeUp? {
    switch snd_pcm_state(pcm) {
    case SND_PCM_STATE_XRUN: try wakeUpAfterRecovery(-EPIPE)
    case SND_PCM_STATE_SUSPENDED: try wakeUpAfterRecovery(-ESTRPIPE)
    case SND_PCM_STATE_DISCONNECTED: throw lose()
    // Some plug-ins detect an xrun only when asked for their position.
    default: try wakeUpAfterRecovery(Int32(min(0, snd_pcm_avail_update(pcm))))
    }
  }

  private func milliseconds(_ limit: Duration?, _ left: Duration?) -> Int32 {
    switch (limit, left) {
    case (let limit?, let left?): pollTimeout(min(limit, left))
    case (let only?, nil), (nil, let only?): pollTimeout(only)
    case (nil, nil): -1
    }
  }
}
