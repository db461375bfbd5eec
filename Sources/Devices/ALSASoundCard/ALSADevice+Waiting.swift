import AudioCore
import AudioThreads
import CALSA
import Glibc
import SoundCard

extension ALSADevice {
  func wait(
    for interest: PCMInterest, atMost timeout: Duration?
  ) throws(SoundCardError) -> PCMWakeUp {
    let pcm = try usable()
    let deadline = timeout.map { SuspendingClock.now + $0 }
    while true {
      if let interruption = popPendingInterruption() { return .interrupted(interruption) }
      if unstarted != nil, let outcome = try wakeUpAfterRecovery(0) { return outcome }
      if interest == .period {
        if rest(until: deadline) { return .woken }
        if let outcome = try readiness(pcm) { return outcome }
      }
      let left = deadline.map { $0 - .now }
      if let outcome = try sleep(pcm, for: interest, atMost: left) { return outcome }
    }
  }

  /// Clears the waker; `.woken` if it was signaled, otherwise nil.
  private var woken: PCMWakeUp? { waker.clear() ? .woken : nil }

  private func popPendingInterruption() -> PCMInterruption? {
    defer { pendingInterruption = nil }
    return pendingInterruption
  }

  /// Sleeps while the device cannot have a period ready yet; returns true if the waker ended the
  /// sleep.
  private func rest(until deadline: SuspendingClock.Instant?) -> Bool {
    let now = SuspendingClock.now
    guard let rest = wakeUpThrottle.consumeRestUnseen(at: now) else { return false }
    let most = deadline.map { min(rest, $0 - now) } ?? rest
    return waker.isSignaled(within: most.inNanoseconds) && waker.clear()
  }

  /// Returns the result of `wait` if there is one now; nil if the caller must sleep.
  private func readiness(_ pcm: OpaquePointer) throws(SoundCardError) -> PCMWakeUp? {
    if hasEnded { return .ended }
    let buffer = configuration.buffer.rawValue
    let ready: Int
    switch DriverAnswer(snd_pcm_avail_update(pcm), of: buffer) {
    case .frames(let available): ready = available
    case .excess: ready = buffer
    case .failure(let code): return try wakeUpAfterRecovery(code)
    }
    let now = SuspendingClock.now
    let state = snd_pcm_state(pcm)
    if state == SND_PCM_STATE_RUNNING {
      losses.observe(held: direction == .playback ? buffer - ready : ready)
    }
    if ready >= configuration.period.rawValue {
      wakeUpThrottle.ready(ready, at: now)
      return .ready(FrameCount(ready))
    }
    // A suspended plug-in may still count frames and signal its descriptors, so check its state.
    if state == SND_PCM_STATE_SUSPENDED { return try wakeUpAfterRecovery(-ESTRPIPE) }
    wakeUpThrottle.observe(ready, at: now)
    // A stopped device never becomes ready, so start it.
    try start()
    return popPendingInterruption().map { .interrupted($0) }
  }

  func wakeUpAfterRecovery(_ code: Int32) throws(SoundCardError) -> PCMWakeUp? {
    let outcome = try recover(code)
    return outcome == .woken ? woken : outcome
  }

  /// Sleeps until an event or the timeout; returns nil if the caller must check the device again.
  private func sleep(
    _ pcm: OpaquePointer, for interest: PCMInterest, atMost left: Duration?
  ) throws(SoundCardError) -> PCMWakeUp? {
    if let left, left <= .zero { return try checkState(pcm, for: interest) ?? .timedOut }
    if interest == .period, let rest = wakeUpThrottle.consumeRest() {
      let most = left.map { min(rest, $0) } ?? rest
      return waker.isSignaled(within: most.inNanoseconds) ? woken : nil
    }
    let count = fillPolled(pcm, for: interest)
    let limit = milliseconds(interest == .period ? stateCheckInterval : nil, left)
    let ready = poll(polled, nfds_t(count), limit)
    if ready == 0 { return try checkState(pcm, for: interest) }
    if ready < 0 { return errno == EINTR ? woken : try wakeUpAfterRecovery(-errno) }
    if polled[0].revents != 0 { return woken }
    var events: UInt16 = 0
    let code = snd_pcm_poll_descriptors_revents(pcm, polled + 1, UInt32(count - 1), &events)
    if code < 0 { return try wakeUpAfterRecovery(code) }
    wakeUpThrottle.woke(at: .now)
    return try handle(Int32(events), pcm, for: interest)
  }

  /// Sets the descriptors for `poll` and returns their number.
  ///
  /// With interest `.nothing`, `poll` does not wait for room or frames.
  private func fillPolled(_ pcm: OpaquePointer, for interest: PCMInterest) -> Int {
    polled[0] = pollfd(fd: waker.fileDescriptor, events: Int16(POLLIN), revents: 0)
    let room = polledCount - 1
    let count = min(room, max(0, Int(snd_pcm_poll_descriptors(pcm, polled + 1, UInt32(room)))))
    if interest == .nothing {
      for index in 0..<count { polled[1 + index].events = 0 }
    }
    return 1 + count
  }

  /// Handles the device's own events (`POLLIN`, `POLLOUT`, `POLLERR`).
  ///
  /// The descriptors of a plug-in may signal other events than the device itself.
  private func handle(
    _ events: Int32, _ pcm: OpaquePointer, for interest: PCMInterest
  ) throws(SoundCardError) -> PCMWakeUp? {
    if events & Int32(POLLHUP | POLLNVAL) != 0 { throw lose() }
    guard events & Int32(POLLERR) != 0 else { return nil }
    if let outcome = try checkState(pcm, for: interest) { return outcome }
    return try wakeUpAfterRecovery(-EIO)
  }

  /// Checks the state of the device and recovers from a failure.
  private func checkState(
    _ pcm: OpaquePointer, for interest: PCMInterest
  ) throws(SoundCardError) -> PCMWakeUp? {
    switch snd_pcm_state(pcm) {
    case SND_PCM_STATE_XRUN: try underrun(for: interest)
    case SND_PCM_STATE_SUSPENDED: try wakeUpAfterRecovery(-ESTRPIPE)
    case SND_PCM_STATE_DISCONNECTED: throw lose()
    // Some plug-ins detect an xrun only when their position is read, so read the position.
    default:
      switch DriverAnswer(snd_pcm_avail_update(pcm), of: configuration.buffer.rawValue) {
      case .frames, .excess: try wakeUpAfterRecovery(0)
      case .failure(-EPIPE): try underrun(for: interest)
      case .failure(let code): try wakeUpAfterRecovery(code)
      }
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
