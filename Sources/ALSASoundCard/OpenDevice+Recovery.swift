import AudioCore
import AudioThreads
import CALSA
import Glibc
import SoundCard

extension OpenDevice {
  /// The outcome of a recovery.
  enum RecoveryOutcome {
    /// There was no failure.
    case nothing
    case interrupted(PCMInterruption)
    /// The waker was signaled while a suspended device resumed; the recovery is not finished.
    case woken
  }

  /// Runs the steps of `Recovery` until the device runs again; throws if it cannot.
  func recover(_ code: Int32) throws(SoundCardError) -> RecoveryOutcome {
    guard let pcm else { throw lose() }
    var recovery =
      unstarted.take() ?? Recovery(direction: direction, suspended: suspendedSince ?? .now)
    var action = recovery.begin(
      after: code, isDisconnected: snd_pcm_state(pcm) == SND_PCM_STATE_DISCONNECTED)
    while true {
      switch action {
      case .nothing: return .nothing
      case .done(let cause): return .interrupted(recovered(cause, recovery.isEmptied))
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

  /// Recovers without reporting; the next `wait` reports the interruption.
  func recoverSilently(_ code: Int32) throws(SoundCardError) {
    if case .interrupted(let interruption) = try recover(code) {
      pendingInterruption = interruption
    }
  }

  /// Returns the code of `snd_pcm_resume`, corrected for plug-ins that report success too early.
  ///
  /// alsa-lib returns the code of a driver, but not of an external plug-in. If the device is still
  /// suspended, this is EAGAIN, and ENOSYS after a limit.
  private func resume(_ pcm: OpaquePointer) -> Int32 {
    let code = snd_pcm_resume(pcm)
    guard code >= 0, snd_pcm_state(pcm) == SND_PCM_STATE_SUSPENDED else { return code }
    let giveUp = (suspendedSince ?? .now) + Recovery.silentResumeLimit
    return MonotonicTime.now < giveUp ? -EAGAIN : -ENOSYS
  }

  private func startUnlessRunning(_ pcm: OpaquePointer) -> Int32 {
    snd_pcm_state(pcm) == SND_PCM_STATE_RUNNING ? 0 : snd_pcm_start(pcm)
  }

  private func recovered(
    _ cause: PCMInterruption.Cause, _ isEmptied: Bool
  ) -> PCMInterruption {
    suspendedSince = nil
    let now = BootTime.now
    let lost = losses.lost(at: now, isEmptied: isEmptied)
    if isEmptied { emptied() }
    if isEmptied && direction == .capture {
      losses.observe(held: 0, at: now)
    } else if !isEmptied {
      losses.restarted(at: now)
    }
    return PCMInterruption(cause: cause, lost: lost)
  }
}
