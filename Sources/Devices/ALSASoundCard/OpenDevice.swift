import AudioCore
import AudioThreads
import CALSA
import Glibc
import SoundCard

/// An open device with its settings; the common part of playback and capture.
// `@unchecked Sendable` is safe because only the constants `configuration` and `waker` are shared;
// one thread at a time calls everything else, as `PCM` requires.
class OpenDevice: PCM, @unchecked Sendable {
  let direction: AudioDevice.Direction
  let configuration: PCMConfiguration
  let waker: WakeUp
  let polls: PollSet

  /// Samples in the device's format; this object owns and frees it.
  ///
  /// It has room for two device buffers, because alsa-lib writes past the end of a transfer if the
  /// driver reports too many frames. A plug-in that then moves all requested frames may still crash
  /// the process.
  let scratch: UnsafeMutableRawPointer
  let scratchFrames: Int
  /// The mix between WAV channel order and the device's.
  let routing: ChannelMix
  /// One device buffer of samples for reordering channels; this object owns and frees it.
  let routed: UnsafeMutablePointer<Float>

  /// The longest sleep before the device's state is checked.
  let stateCheckInterval: Duration
  var losses: LossEstimate
  var wakeUpThrottle: WakeUpThrottle
  /// An interruption that the next `wait` reports.
  var pendingInterruption: PCMInterruption?
  /// The time at which the device was first found suspended; the clock excludes the machine's own
  /// sleep.
  var suspendedSince: SuspendingClock.Instant?
  /// A recovery that the waker interrupted; the next `wait` continues it.
  var unstarted: Recovery?
  /// The frames written since the device was last emptied.
  var written = 0
  /// Whether the capture has ended.
  var hasEnded = false
  private let openedAt = SuspendingClock.now
  private var handle: PCMHandle?
  // Valid while `handle`, its owner, exists.
  private(set) var pcm: OpaquePointer?
  private var isLost = false
  /// Whether the next use must prepare the device.
  var isDropped = false

  /// Opens and configures a device; it blocks, so do not call it on the audio thread.
  init(_ request: PCMRequest, for direction: AudioDevice.Direction) throws(SoundCardError) {
    let id = request.device ?? .alsaDefault
    let settled = try SettledDevice.open(id, request, for: direction)
    let pcm = settled.handle.pcm
    configuration = settled.configuration
    waker = try Self.makeWaker(id)
    polls = PollSet(pcm: pcm, waker: waker)
    scratchFrames = configuration.buffer.rawValue
    scratch = .allocate(
      byteCount: 2 * scratchFrames * configuration.format.channelCount * 4, alignment: 16)
    memset(scratch, 0, 2 * scratchFrames * configuration.format.channelCount * 4)
    routing = ChannelMix(direction: direction, device: configuration.channelLayout)
    routed = .allocate(capacity: scratchFrames * configuration.format.channelCount)
    let rate = configuration.format.sampleRate
    losses = LossEstimate(direction: direction, rate: rate, configuration)
    wakeUpThrottle = WakeUpThrottle(period: configuration.period, rate: rate)
    stateCheckInterval = configuration.buffer.duration(at: rate) * 2
    self.direction = direction
    handle = consume settled.handle
    self.pcm = pcm
  }

  deinit {
    scratch.deallocate()
    routed.deallocate()
  }

  private static func makeWaker(_ id: AudioDevice.ID) throws(SoundCardError) -> WakeUp {
    do {
      return try WakeUp()
    } catch {
      throw .failed(id, operation: "eventfd", code: error.code, reason: "\(error)")
    }
  }

  /// The prepared device; throws if it is lost or closed.
  func usable() throws(SoundCardError) -> OpaquePointer {
    guard let pcm, !isLost else { throw .deviceLost(configuration.device) }
    if isDropped {
      isDropped = false
      let code = snd_pcm_prepare(pcm)
      if code < 0 { try recoverSilently(code) }
    }
    return pcm
  }

  /// Marks the device as lost and returns the error.
  func lose() -> SoundCardError {
    isLost = true
    return .deviceLost(configuration.device)
  }

  /// The corresponding C function is `snd_pcm_start`.
  func start() throws(SoundCardError) {
    let pcm = try usable()
    guard snd_pcm_state(pcm) == SND_PCM_STATE_PREPARED else { return }
    // The kernel returns EPIPE for a playback without frames.
    guard direction == .capture || written > 0 else { return }
    losses.restarted()
    let code = snd_pcm_start(pcm)
    if code < 0 { try recoverSilently(code) }
  }

  /// The corresponding C function is `snd_pcm_drop`; the next use prepares the device.
  func drop() {
    guard let pcm, !isLost, !isDropped else { return }
    snd_pcm_drop(pcm)
    isDropped = true
    emptied()
  }

  /// Records that the device is empty.
  func emptied() {
    written = 0
    hasEnded = false
    (suspendedSince, unstarted) = (nil, nil)
    losses.stopped()
    wakeUpThrottle.forget()
  }

  /// Records that frames were written or read.
  func transferred(_ frames: Int) {
    losses.transferred(frames)
    wakeUpThrottle.transferred(frames)
  }

  /// The corresponding C function is `snd_pcm_close`.
  func close() {
    pcm = nil
    handle = nil
  }

  var elapsed: Duration { SuspendingClock.now - openedAt }

  /// Requests real-time priority for the thread of a hardware driver.
  ///
  /// A plug-in or a server's client may spin, and the kernel ends a process whose real-time thread
  /// spins.
  func adoptThread() {
    // Only the calls of a hardware PCM go directly to the kernel.
    guard let pcm, snd_pcm_type(pcm) == SND_PCM_TYPE_HW else {
      return ALSALog.note(
        "normal priority: \"\(configuration.device)\" is a plug-in, not a card's own driver")
    }
    RealTimePriority.request(for: "the \(direction.rawValue) device \"\(configuration.device)\"")
  }

  /// The frames in the device's buffer by its write position, or nil if unknown.
  var held: FrameCount? {
    guard let pcm, !isDropped else { return nil }
    return switch DriverAnswer(snd_pcm_avail(pcm), of: configuration.buffer.rawValue) {
    case .frames(let available): configuration.buffer - FrameCount(available)
    case .excess: .zero
    case .failure: nil
    }
  }

  /// Waits; see `PCM.wait`.
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

  /// Clears the waker; nil if there was no signal.
  private var woken: PCMWakeUp? { waker.clear() ? .woken : nil }

  private func popPendingInterruption() -> PCMInterruption? {
    defer { pendingInterruption = nil }
    return pendingInterruption
  }

  /// Rests while the device cannot be ready; returns true if the waker ended the rest.
  private func rest(until deadline: SuspendingClock.Instant?) -> Bool {
    let now = SuspendingClock.now
    guard let rest = wakeUpThrottle.consumeRestUnseen(at: now) else { return false }
    let most = deadline.map { min(rest, $0 - now) } ?? rest
    return waker.isSignaled(within: most.inNanoseconds) && waker.clear()
  }

  /// The result available without sleeping, or nil if the device needs time.
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
    // A suspended plug-in may continue to count frames and to wake its thread.
    if state == SND_PCM_STATE_SUSPENDED { return try wakeUpAfterRecovery(-ESTRPIPE) }
    wakeUpThrottle.observe(ready, at: now)
    // A stopped device would never become ready.
    try start()
    return popPendingInterruption().map { .interrupted($0) }
  }

  func wakeUpAfterRecovery(_ code: Int32) throws(SoundCardError) -> PCMWakeUp? {
    let outcome = try recover(code)
    return outcome == .woken ? woken : outcome
  }

  /// Sleeps once; nil means that the device must be checked again.
  private func sleep(
    _ pcm: OpaquePointer, for interest: PCMInterest, atMost left: Duration?
  ) throws(SoundCardError) -> PCMWakeUp? {
    if let left, left <= .zero { return try checkState(pcm, for: interest) ?? .timedOut }
    if interest == .period, let rest = wakeUpThrottle.consumeRest() {
      let most = left.map { min(rest, $0) } ?? rest
      return waker.isSignaled(within: most.inNanoseconds) ? woken : nil
    }
    switch polls.sleep(
      pcm, for: interest,
      milliseconds: milliseconds(interest == .period ? stateCheckInterval : nil, left))
    {
    case .waker: return woken
    case .timeOut: return try checkState(pcm, for: interest)
    case .failure(let code): return try wakeUpAfterRecovery(code)
    case .device(let events):
      wakeUpThrottle.woke(at: .now)
      return try handle(events, pcm, for: interest)
    }
  }

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
    // Some plug-ins detect an xrun only when their position is read.
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
