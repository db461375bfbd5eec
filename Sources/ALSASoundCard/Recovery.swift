import AudioCore
import Glibc
import SoundCard

/// The steps to recover a device after a failed call, until it runs again or is lost.
///
/// It replaces `snd_pcm_recover`, which sleeps while a resume returns EAGAIN, never restarts a
/// capture, and passes ENODEV through.
struct Recovery {
  /// The next step.
  enum Action: Equatable {
    /// No failure: the device has no room or no frames now.
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
  /// The time that a plug-in may stay suspended after a successful resume, before it is prepared
  /// again.
  static let silentResumeLimit = Duration.milliseconds(200)
  private static let restartLimit = 3

  /// Whether the device lost its buffer: preparing empties it, resuming does not.
  private(set) var isEmptied = false
  private let direction: AudioDevice.Direction
  private let giveUpResumingAt: MonotonicTime
  private var cause = PCMInterruption.Cause.xrun
  private var current = Action.nothing
  private var restarts = 0

  /// - Parameter suspended: the time at which the device was first found suspended.
  init(direction: AudioDevice.Direction, suspended: MonotonicTime) {
    self.direction = direction
    giveUpResumingAt = suspended + Self.resumeLimit
  }

  /// Whether it waits to start a prepared device, whose state no longer shows the failure.
  var isPrepared: Bool { if case .waitToStart = current { true } else { false } }

  /// Returns the first step after a call failed with `code`, a negative errno value.
  ///
  /// If it was waiting to start, it continues with that for any code.
  mutating func begin(after code: Int32, isDisconnected: Bool = false) -> Action {
    guard !isDisconnected else { return .lost }
    if isPrepared { return step(.start) }
    switch -code {
    case EAGAIN, EINTR, 0: return .nothing
    case ENODEV, ENXIO: return .lost
    case ESTRPIPE:
      cause = .suspended
      return step(.resume)
    // For other codes (EIO of a lost server, EBADFD), the result of `prepare` decides.
    default: return step(.prepare)
    }
  }

  /// Returns the next step after the device returned `code` for the current one.
  mutating func next(after code: Int32, now: MonotonicTime) -> Action {
    if -code == ENODEV || -code == ENXIO { return .lost }
    switch current {
    case .resume, .waitToResume: return afterResume(code, now: now)
    case .prepare: return afterPrepare(code, now: now)
    case .waitToPrepare: return step(.prepare)
    case .waitToStart: return step(.start)
    case .start: return afterStart(code, now: now)
    default: return current
    }
  }

  private mutating func afterResume(_ code: Int32, now: MonotonicTime) -> Action {
    if case .waitToResume = current { return step(.resume) }
    if code >= 0 { return continueRunning() }
    guard -code == EAGAIN, now < giveUpResumingAt else { return step(.prepare) }
    return step(.waitToResume(Self.resumePause))
  }

  private mutating func afterPrepare(_ code: Int32, now: MonotonicTime) -> Action {
    if -code == EAGAIN, now < giveUpResumingAt { return step(.waitToPrepare(Self.resumePause)) }
    return code >= 0 ? continueRunning() : .lost
  }

  private mutating func afterStart(_ code: Int32, now: MonotonicTime) -> Action {
    if code >= 0 { return .done(cause) }
    if -code == EAGAIN, now < giveUpResumingAt { return step(.waitToStart(Self.resumePause)) }
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
