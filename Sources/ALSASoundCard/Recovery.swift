import AudioCore
import Glibc
import SoundCard

/// What to do when a call to a device has failed, step by step, until it runs again or is given up.
///
/// Ours in place of `snd_pcm_recover`, which sleeps for as long as a resume answers EAGAIN, never
/// restarts a capture, and passes ENODEV through.
struct Recovery {
  /// The next thing to do.
  enum Action: Equatable {
    /// It was no trouble: the device has no room or nothing to give just now.
    case nothing
    case prepare
    /// Only where the device does not run already.
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
  /// How long resuming, preparing and starting are tried again where they answer EAGAIN.
  static let resumeLimit = Duration.seconds(5)
  /// How long a plug-in that claims to have resumed may sleep on before it is prepared anew.
  static let silentResumeLimit = Duration.milliseconds(200)
  private static let restartLimit = 3

  /// Whether the device has lost what it held: preparing empties it, resuming does not.
  private(set) var isEmptied = false
  private let direction: AudioDevice.Direction
  private let giveUpResumingAt: MonotonicTime
  private var cause = PCMInterruption.Cause.xrun
  private var current = Action.nothing
  private var restarts = 0

  /// - Parameter suspended: when it was first found asleep: now, or before a wait that was
  ///   cut short.
  init(direction: AudioDevice.Direction, suspended: MonotonicTime) {
    self.direction = direction
    giveUpResumingAt = suspended + Self.resumeLimit
  }

  /// Whether it waits to start a device in which nobody can see the trouble any more.
  var isPrepared: Bool { if case .waitToStart = current { true } else { false } }

  /// What to do first after a call has answered `code`, a negative errno value.
  ///
  /// Where it waited to start, it goes on with that whatever the code.
  mutating func begin(after code: Int32, isDisconnected: Bool = false) -> Action {
    guard !isDisconnected else { return .lost }
    if isPrepared { return step(.start) }
    switch -code {
    case EAGAIN, EINTR, 0: return .nothing
    case ENODEV, ENXIO: return .lost
    case ESTRPIPE:
      cause = .suspended
      return step(.resume)
    // A device that answers something else (EIO of a server that went, EBADFD) is as good as what
    // `prepare` says.
    default: return step(.prepare)
    }
  }

  /// What to do after the action has been carried out and the device has answered `code`.
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
    if code >= 0 { return goOn() }
    guard -code == EAGAIN, now < giveUpResumingAt else { return step(.prepare) }
    return step(.waitToResume(Self.resumePause))
  }

  private mutating func afterPrepare(_ code: Int32, now: MonotonicTime) -> Action {
    if -code == EAGAIN, now < giveUpResumingAt { return step(.waitToPrepare(Self.resumePause)) }
    return code >= 0 ? goOn() : .lost
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

  private mutating func goOn() -> Action {
    direction == .capture ? step(.start) : .done(cause)
  }

  private mutating func step(_ action: Action) -> Action {
    current = action
    if action == .prepare { isEmptied = true }
    return action
  }
}
