import AudioCore
import AudioThreads
import CALSA
import Glibc
import SoundCard

extension OpenDevice {
  /// The waits of both directions; see `PCM.wait`.
  func wait(
    for interest: PCMInterest, atMost timeout: Duration?
  ) throws(SoundCardError) -> PCMWakeUp {
    let pcm = try usable()
    let deadline = timeout.map { MonotonicTime.now + $0 }
    while true {
      if let interruption = takeUntold() { return .interrupted(interruption) }
      if unstarted != nil, let outcome = try mendedWakeUp(0) { return outcome }
      if interest == .period {
        if rest(until: deadline) { return .woken }
        if let outcome = try readiness(pcm) { return outcome }
      }
      let left = deadline.map { $0 - .now }
      if let outcome = try sleep(pcm, for: interest, atMost: left) { return outcome }
    }
  }

  /// Takes the signal that a sleep saw; nil where it was something else that ended the sleep.
  private var woken: PCMWakeUp? { waker.clear() ? .woken : nil }

  private func takeUntold() -> PCMInterruption? {
    defer { untold = nil }
    return untold
  }

  /// Rests where the device cannot be ready yet; true where the waker ended that.
  private func rest(until deadline: MonotonicTime?) -> Bool {
    let now = MonotonicTime.now
    guard let rest = earlyWakes.takeRestUnseen(at: now) else { return false }
    let most = deadline.map { min(rest, $0 - now) } ?? rest
    return waker.isSignalled(within: most.inNanoseconds) && waker.clear()
  }

  /// What there is to say without sleeping; nil where the device needs time.
  private func readiness(_ pcm: OpaquePointer) throws(SoundCardError) -> PCMWakeUp? {
    if hasEnded { return .ended }
    let available = snd_pcm_avail_update(pcm)
    guard available >= 0 else { return try mendedWakeUp(Int32(available)) }
    let buffer = configuration.buffer.rawValue
    let ready = min(available, buffer)
    let now = MonotonicTime.now
    let state = snd_pcm_state(pcm)
    if state == SND_PCM_STATE_RUNNING {
      losses.saw(held: direction == .playback ? buffer - ready : ready, at: .now)
    }
    if ready >= configuration.period.rawValue {
      earlyWakes.ready(ready, at: now)
      return .ready(FrameCount(ready))
    }
    // A plug-in may count on as if nothing were the matter, and wake for nothing.
    if state == SND_PCM_STATE_SUSPENDED { return try mendedWakeUp(-ESTRPIPE) }
    earlyWakes.saw(ready, at: now)
    // There will never be more room, or frames, in a device that does not run.
    try start()
    return nil
  }

  private func mendedWakeUp(_ code: Int32) throws(SoundCardError) -> PCMWakeUp? {
    switch try mend(code) {
    case .nothing: nil
    case .interrupted(let interruption): .interrupted(interruption)
    case .woken: woken
    }
  }

  /// Sleeps once; nil means that the device is to be looked at again.
  private func sleep(
    _ pcm: OpaquePointer, for interest: PCMInterest, atMost left: Duration?
  ) throws(SoundCardError) -> PCMWakeUp? {
    if let left, left <= .zero { return try trouble(pcm) ?? .timedOut }
    if interest == .period, let rest = earlyWakes.takeRest() {
      let most = left.map { min(rest, $0) } ?? rest
      return waker.isSignalled(within: most.inNanoseconds) ? woken : nil
    }
    switch polls.sleep(
      pcm, for: interest, milliseconds: milliseconds(interest == .period ? patience : nil, left))
    {
    case .waker: return woken
    case .timeOut: return try trouble(pcm)
    case .failure(let code): return try mendedWakeUp(code)
    case .device(let events):
      earlyWakes.woke(at: .now)
      return try answer(to: events, pcm)
    }
  }

  private func answer(
    to events: Int32, _ pcm: OpaquePointer
  ) throws(SoundCardError) -> PCMWakeUp? {
    if events & Int32(POLLHUP | POLLNVAL) != 0 { throw lose() }
    guard events & Int32(POLLERR) != 0 else { return nil }
    if let outcome = try trouble(pcm) { return outcome }
    return try mendedWakeUp(-EIO)
  }

  /// The trouble that the device tells of when it is asked, mended.
  private func trouble(_ pcm: OpaquePointer) throws(SoundCardError) -> PCMWakeUp? {
    switch snd_pcm_state(pcm) {
    case SND_PCM_STATE_XRUN: try mendedWakeUp(-EPIPE)
    case SND_PCM_STATE_SUSPENDED: try mendedWakeUp(-ESTRPIPE)
    case SND_PCM_STATE_DISCONNECTED: throw lose()
    // Some plug-ins notice an xrun only when they are asked for their position.
    default: try mendedWakeUp(Int32(min(0, snd_pcm_avail_update(pcm))))
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
