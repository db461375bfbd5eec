import CLinux
import Glibc

/// The context that `pthread_create` passes to the new thread.
private final class Start {
  let name: String
  let body: @Sendable () -> Void

  init(name: String, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }
}

/// Starts a detached thread with a 1 MiB stack and all signals blocked.
func spawn(name: String, _ body: @escaping @Sendable () -> Void) throws(ThreadError) {
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  defer { pthread_attr_destroy(&attributes) }
  pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
  pthread_attr_setstacksize(&attributes, 1 << 20)

  // A thread inherits its creator's signal mask: block, create, restore.
  var everything = sigset_t()
  var previous = sigset_t()
  sigfillset(&everything)
  // Traps on the thread must reach Swift's backtracer.
  for signal in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT] {
    sigdelset(&everything, signal)
  }
  pthread_sigmask(SIG_BLOCK, &everything, &previous)
  defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }

  let start = Unmanaged.passRetained(Start(name: name, body: body))
  var thread = pthread_t()
  let code = pthread_create(
    &thread, &attributes,
    { context in
      // Takes over the reference that `spawn` retained, exactly once.
      guard let context else { return nil }
      let start = Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
      _ = syrinx_set_thread_name(start.name)
      start.body()
      return nil
    }, start.toOpaque())
  guard code == 0 else {
    start.release()
    throw ThreadError(code: code)
  }
}
