import AudioCore
import AudioThreads
import CALSA
import Glibc
import SoundCard

/// The steps to recover a device after a failed call, until it runs again or is lost.
///
/// It replaces `snd_pcm_recover`, which sleeps while a resume returns EAGAIN, never restarts a
/// capture, and does not handle ENODEV.
struct Recovery {
  /// The next step.
  enum Action: Equatable {
    /// Do nothing: no call failed, but the device has no room or no frames now.
    case nothing
    case prepare
    /// Start the device unless it already runs.
    case start
    case resume
    case waitToResume(Duration)
    case waitToPrepare(Duration)
    case waitToStart(Duration)
    case done(PCMInterruption.Cause)
    case lost
    case failed(operation: String, code: Int32)
  }

  static let resumePause = Duration.milliseconds(20)
  /// The time limit for retrying resume, prepare, and start after EAGAIN.
  static let resumeLimit = Duration.seconds(5)
  /// How long a plug-in may stay suspended although its resume succeeded; after that, it is
  /// prepared again.
  static let silentResumeLimit = Duration.milliseconds(200)
  private static let restartLimit = 3

  /// Whether the frames in the device's buffer are lost: preparing empties the buffer, resuming
  /// does not.
  private(set) var isEmptied = false
  private let direction: AudioDevice.Direction
  private let giveUpResumingAt: SuspendingClock.Instant
  private var cause = PCMInterruption.Cause.xrun
  private var current = Action.nothing
  private var restarts = 0

  /// Creates a recovery; `suspended` is the time at which the device was first found suspended.
  init(direction: AudioDevice.Direction, suspended: SuspendingClock.Instant) {
    self.direction = direction
    giveUpResumingAt = suspended + Self.resumeLimit
  }

  /// Whether the device is prepared and only waits to be started, so its state no longer shows the
  /// failure.
  var isPrepared: Bool { if case .waitToStart = current { true } else { false } }

  /// Returns the first step after a call failed with `code`, a negative errno value.
  ///
  /// If a start was pending, the first step is that start, whatever the code.
  mutating func begin(after code: Int32, isDisconnected: Bool = false) -> Action {
    guard !isDisconnected else { return .lost }
    if isPrepared { return step(.start) }
    switch code.errnoValue {
    case EAGAIN, EINTR, 0: return .nothing
    case ENODEV, ENXIO: return .lost
    case ESTRPIPE:
      cause = .suspended
      return step(.resume)
    // For other codes (EIO of a lost server, EBADFD), the result of `prepare` shows whether the
    // device is lost.
    default: return step(.prepare)
    }
  }

  /// Returns the next step, after the device returned `code` for the current step.
  mutating func next(after code: Int32, now: SuspendingClock.Instant) -> Action {
    if code == -ENODEV || code == -ENXIO { return .lost }
    switch current {
    case .resume, .waitToResume: return afterResume(code, now: now)
    case .prepare: return afterPrepare(code, now: now)
    case .waitToPrepare: return step(.prepare)
    case .waitToStart: return step(.start)
    case .start: return afterStart(code, now: now)
    default: return current
    }
  }

  private mutating func afterResume(_ code: Int32, now: SuspendingClock.Instant) -> Action {
    if case .waitToResume = current { return step(.resume) }
    if code >= 0 { return continueRunning() }
    guard code == -EAGAIN, now < giveUpResumingAt else { return step(.prepare) }
    return step(.waitToResume(Self.resumePause))
  }

  private mutating func afterPrepare(_ code: Int32, now: SuspendingClock.Instant) -> Action {
    if code == -EAGAIN, now < giveUpResumingAt { return step(.waitToPrepare(Self.resumePause)) }
    return code >= 0 ? continueRunning() : .lost
  }

  private mutating func afterStart(_ code: Int32, now: SuspendingClock.Instant) -> Action {
    if code >= 0 { return .done(cause) }
    if code == -EAGAIN, now < giveUpResumingAt { return step(.waitToStart(Self.resumePause)) }
    restarts += 1
    guard restarts < Self.restartLimit else {
      return .failed(operation: "snd_pcm_start", code: code)
    }
    return step(.prepare)
  }

  private mutating func continueRunning() -> Action {
    direction == .capture ? step(.start) : .done(cause)
  }

  private mutating func step(_ action: Action) -> Action {
    current = action
    if action == .prepare { isEmptied = true }
    return action
  }
}

extension ALSADevice {
  /// Runs the steps of `Recovery` until the device runs again; throws if it cannot.
  ///
  /// Returns `interrupted`, or nil if there was no failure. If the waker is signaled while a
  /// suspended device resumes, returns `woken` at once.
  func recover(_ code: Int32) throws(SoundCardError) -> PCMWakeUp? {
    guard let pcm else { throw lose() }
    var recovery =
      unstarted.take() ?? Recovery(direction: direction, suspended: suspendedSince ?? .now)
    var action = recovery.begin(
      after: code, isDisconnected: snd_pcm_state(pcm) == SND_PCM_STATE_DISCONNECTED)
    while true {
      switch action {
      case .nothing: return nil
      case .done(let cause):
        return .interrupted(recovered(cause, recovery.isEmptied, after: code))
      case .lost: throw lose()
      case .failed(let operation, let code):
        throw .operating(configuration.device, operation, code: code)
      case .waitToResume(let pause), .waitToPrepare(let pause), .waitToStart(let pause):
        suspendedSince = suspendedSince ?? .now
        if waker.isSignaled(within: pause.inNanoseconds) {
          unstarted = recovery.isPrepared ? recovery : nil
          return .woken
        }
        action = recovery.next(after: 0, now: .now)
      case .prepare: action = recovery.next(after: snd_pcm_prepare(pcm), now: .now)
      case .resume: action = recovery.next(after: resume(pcm), now: .now)
      case .start: action = recovery.next(after: startUnlessRunning(pcm), now: .now)
      }
    }
  }

  /// Recovers from a failed transfer and returns the transfer's result.
  func transfer(after code: Int32) throws(SoundCardError) -> PCMTransfer {
    guard case .interrupted(let interruption) = try recover(code) else { return .frames(.zero) }
    return .interrupted(interruption)
  }

  /// Recovers without reporting; the next `wait` reports the interruption.
  func recoverSilently(_ code: Int32) throws(SoundCardError) {
    if case .interrupted(let interruption) = try recover(code) {
      pendingInterruption = interruption
    }
  }

  /// Recovers from an xrun.
  ///
  /// A playback device with interest `.nothing` may have reached the end of its audio. Such a
  /// device is prepared only before its next use, because preparing fails on a sound server that
  /// has paused or ended.
  func underrun(for interest: PCMInterest) throws(SoundCardError) -> PCMWakeUp? {
    guard direction == .playback, interest == .nothing, let pcm else {
      return try wakeUpAfterRecovery(-EPIPE)
    }
    // alsa-lib reports every failure to read a plug-in's position as an underrun, so check whether
    // another failure caused it.
    var frames: snd_pcm_sframes_t = 0
    let code = snd_pcm_delay(pcm, &frames)
    guard code != -ENODEV, code != -ENXIO else { throw lose() }
    // If the sound server has ended, `snd_pcm_delay` fails with another code, and recovery then
    // finds that the device is lost.
    guard code == 0 || code == -EPIPE else { return try wakeUpAfterRecovery(code) }
    isDropped = true
    return .interrupted(recovered(.xrun, true, after: -EPIPE))
  }

  /// Returns the code of `snd_pcm_resume`, corrected for plug-ins that report success too early.
  ///
  /// alsa-lib drops the error of an external plug-in. If the device is still suspended, this method
  /// therefore returns EAGAIN, or ENOSYS after the time limit.
  private func resume(_ pcm: OpaquePointer) -> Int32 {
    let code = snd_pcm_resume(pcm)
    guard code >= 0, snd_pcm_state(pcm) == SND_PCM_STATE_SUSPENDED else { return code }
    let giveUp = (suspendedSince ?? .now) + Recovery.silentResumeLimit
    return SuspendingClock.now < giveUp ? -EAGAIN : -ENOSYS
  }

  private func startUnlessRunning(_ pcm: OpaquePointer) -> Int32 {
    snd_pcm_state(pcm) == SND_PCM_STATE_RUNNING ? 0 : snd_pcm_start(pcm)
  }

  /// Records the end of an interruption, and estimates the lost frames.
  func recovered(
    _ cause: PCMInterruption.Cause, _ isEmptied: Bool, after code: Int32
  ) -> PCMInterruption {
    let discarded =
      isEmptied ? losses.discarded(at: suspendedSince ?? .now, isUnderrun: code == -EPIPE) : .zero
    suspendedSince = nil
    delayEstimate.emptied()
    let now = ContinuousClock.now
    let lost = losses.lost(at: now, isEmptied: isEmptied)
    if isEmptied { emptied() }
    if isEmptied && direction == .capture {
      losses.observe(held: 0, at: now)
    } else if !isEmptied {
      losses.restarted(at: now)
    }
    return PCMInterruption(cause: cause, lost: lost, discarded: discarded)
  }
}

/// An estimate of the frames lost in an interruption, computed from elapsed time.
///
/// It uses the last observed buffer level and the time since that observation, including the time
/// that the machine was suspended.
struct LossEstimate {
  private let direction: AudioDevice.Direction
  private let rate: SampleRate
  /// The number of unplayed frames that do not count as discarded after an underrun, because the
  /// device may have played them since the last observation.
  private let tolerance: Int
  private var held = 0
  private var seenAt: ContinuousClock.Instant?
  /// The time of the same observation as `seenAt`, but on a clock that stops while the machine
  /// sleeps.
  private var seenAwakeAt: SuspendingClock.Instant?

  /// Creates an estimate; `configuration` sets the tolerance for a device that may report its
  /// position only once a period.
  init(
    direction: AudioDevice.Direction, rate: SampleRate, _ configuration: PCMConfiguration? = nil
  ) {
    self.direction = direction
    self.rate = rate
    let half = (configuration?.buffer.rawValue ?? 0) / 2
    tolerance = max(
      configuration?.period.rawValue ?? 0,
      min(half, FrameCount(.milliseconds(50), at: rate).rawValue))
  }

  /// Records the buffer level of the running device: frames not yet played, or not yet read.
  mutating func observe(
    held: Int, at time: ContinuousClock.Instant = .now, awake: SuspendingClock.Instant = .now
  ) {
    self.held = held
    restarted(at: time, awake: awake)
  }

  /// Records frames written or read since the last observation.
  mutating func transferred(_ frames: Int) {
    held += direction == .playback ? frames : -frames
  }

  /// Records that the device starts at `time` with the frames in its buffer.
  mutating func restarted(
    at time: ContinuousClock.Instant = .now, awake: SuspendingClock.Instant = .now
  ) {
    (seenAt, seenAwakeAt) = (time, awake)
  }

  /// Whether the device is known to run.
  var isRunning: Bool { seenAt != nil }

  /// Records that the device stopped.
  mutating func stopped() {
    held = 0
    (seenAt, seenAwakeAt) = (nil, nil)
  }

  /// Returns the frames of silence played, or of audio not captured, if the device continues at
  /// `time`.
  ///
  /// If `isEmptied` is true, the buffered frames are lost, too.
  func lost(at time: ContinuousClock.Instant, isEmptied: Bool = true) -> FrameCount {
    guard let seenAt, time > seenAt else { return .zero }
    let passed = FrameCount(time - seenAt, at: rate).rawValue
    guard isEmptied else { return FrameCount(passed) }
    return FrameCount(max(0, direction == .playback ? passed - held : passed + held))
  }

  /// Returns the number of written frames that a playback device discarded without playing them.
  ///
  /// - Parameters:
  ///   - time: the time at which the device stopped playing.
  ///   - isUnderrun: whether the device reports that it has played all written frames.
  func discarded(at time: SuspendingClock.Instant, isUnderrun: Bool) -> FrameCount {
    guard direction == .playback else { return .zero }
    let passed = seenAwakeAt.map { FrameCount(max(.zero, time - $0), at: rate).rawValue } ?? 0
    let left = held - passed
    return left > (isUnderrun ? tolerance : 0) ? FrameCount(left) : .zero
  }
}
