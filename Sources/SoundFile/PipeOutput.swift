import AudioThreads
import Glibc

/// A descriptor that bytes go to, whose reader may go away at any time.
struct PipeOutput {
  let descriptor: Int32
  let name: String
  /// Signalled where a reader that takes nothing is not to be waited for.
  let hurry: WakeUp?

  func write(_ bytes: [UInt8]) throws(SoundFileError) {
    let code = withoutPipeSignal { writeAll(bytes, to: descriptor, hurry: hurry) }
    guard code == 0 else { throw SystemErrors.writing(name, code: code) }
  }

  /// Keeps SIGPIPE, which would end the process, from this thread while `body` writes.
  private func withoutPipeSignal(_ body: () -> Int32) -> Int32 {
    var pipeSignal = sigset_t()
    var previous = sigset_t()
    var pending = sigset_t()
    sigemptyset(&pipeSignal)
    sigaddset(&pipeSignal, SIGPIPE)
    sigpending(&pending)
    guard sigismember(&pending, SIGPIPE) == 0 else { return body() }

    pthread_sigmask(SIG_BLOCK, &pipeSignal, &previous)
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
    let code = body()
    if code == EPIPE {
      // The signal is pending on this thread; taken here, it is not delivered when unblocked.
      var now = timespec()
      sigtimedwait(&pipeSignal, nil, &now)
    }
    return code
  }
}
