import AudioCore
import AudioThreads
import CALSA
import Glibc
import SoundCard

extension OpenDevice {
  /// What became of trouble.
  enum Mending {
    /// There was none.
    case nothing
    case interrupted(PCMInterruption)
    /// The waker was signalled while a suspended device was waited for; the trouble is still there.
    case woken
  }

  /// Does what `Recovery` says until the device runs again; throws where it cannot.
  func mend(_ code: Int32) throws(SoundCardError) -> Mending {
    guard let pcm else { throw lose() }
    var recovery =
      unstarted.take() ?? Recovery(direction: direction, suspended: suspendedSince ?? .now)
    var action = recovery.begin(
      after: code, isDisconnected: snd_pcm_state(pcm) == SND_PCM_STATE_DISCONNECTED)
    while true {
      switch action {
      case .nothing: return .nothing
      case .done(let cause): return .interrupted(mended(cause, recovery.isEmptied))
      case .lost: throw lose()
      case .failed(let operation, let code):
        throw .operating(configuration.device, operation, code: code)
      case .waitToResume(let pause), .waitToPrepare(let pause), .waitToStart(let pause):
        suspendedSince = suspendedSince ?? .now
        if waker.isSignalled(within: pause.inNanoseconds) {
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

  /// Mends where there is no one to tell; the next `wait` tells.
  func mendUntold(_ code: Int32) throws(SoundCardError) {
    if case .interrupted(let interruption) = try mend(code) { untold = interruption }
  }

  /// The code of `snd_pcm_resume`, and where a plug-in claims success although the device sleeps
  /// on, what it keeps to itself: EAGAIN, and soon that it cannot resume at all.
  ///
  /// alsa-lib passes on the code of a driver, but none of an external plug-in.
  private func resume(_ pcm: OpaquePointer) -> Int32 {
    let code = snd_pcm_resume(pcm)
    guard code >= 0, snd_pcm_state(pcm) == SND_PCM_STATE_SUSPENDED else { return code }
    let giveUp = (suspendedSince ?? .now) + Recovery.silentResumeLimit
    return MonotonicTime.now < giveUp ? -EAGAIN : -ENOSYS
  }

  private func startUnlessRunning(_ pcm: OpaquePointer) -> Int32 {
    snd_pcm_state(pcm) == SND_PCM_STATE_RUNNING ? 0 : snd_pcm_start(pcm)
  }

  private func mended(
    _ cause: PCMInterruption.Cause, _ isEmptied: Bool
  ) -> PCMInterruption {
    suspendedSince = nil
    let now = BootTime.now
    let lost = losses.lost(at: now, isEmptied: isEmptied)
    if isEmptied { emptied() }
    if isEmptied && direction == .capture {
      losses.saw(held: 0, at: now)
    } else if !isEmptied {
      losses.restarted(at: now)
    }
    return PCMInterruption(cause: cause, lost: lost)
  }
}
