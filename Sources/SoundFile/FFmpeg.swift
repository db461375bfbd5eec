import Glibc

/// FFmpeg as a child process, for what no library of ours reads: it writes WAV into a pipe.
final class FFmpeg: Sendable {
  /// What it writes.
  let output: Descriptor
  /// What it says of errors.
  private let complaints: Descriptor
  private let identifier: pid_t

  /// Starts it; nil where it is not installed, or cannot be started.
  ///
  /// - Parameter file: a regular file, which FFmpeg may seek in.
  init?(decoding file: Descriptor, path: String) {
    guard let pipe = try? Descriptor.pipe(path: path),
      let errors = try? Descriptor.pipe(path: path),
      // What finds no room is lost: nobody reads more than whether there is anything.
      fcntl(errors.inlet.number, F_SETFL, O_NONBLOCK) == 0,
      let identifier = spawn(
        input: file.number, output: pipe.inlet.number, errors: errors.inlet.number)
    else { return nil }
    (output, complaints, self.identifier) = (pipe.outlet, errors.outlet, identifier)
  }

  deinit {
    // It ends at once, also one that waits for a reader; nobody else waits for it.
    kill(identifier, SIGKILL)
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
  }

  /// Whether its output lacks something, to be asked when nobody reads that any more.
  var isCutOff: Bool { isWriting || complaints.events & POLLIN != 0 }

  /// Whether it may write more, so that its output was not read to the end.
  private var isWriting: Bool { output.events & POLLHUP == 0 }

  /// Whether it has failed, to be asked when its output has ended.
  func hasFailed() -> Bool {
    // It would wait for a reader, and we for it.
    guard !isWriting else { return false }
    var end = siginfo_t()
    // Without taking its end, so that its number stays its own.
    while waitid(P_PID, id_t(identifier), &end, WEXITED | WNOWAIT) < 0 && errno == EINTR {}
    return end.si_code != Int32(CLD_EXITED) || end._sifields._sigchld.si_status != 0
  }
}

extension Descriptor {
  /// What `poll` says of a pipe at once.
  fileprivate var events: Int32 {
    var descriptor = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
    poll(&descriptor, 1, 0)
    return Int32(descriptor.revents)
  }
}

/// With no signal blocked or ignored, as a shell starts it; our descriptors
/// close themselves.
private func spawn(input: Int32, output: Int32, errors: Int32) -> pid_t? {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
  posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)

  var attributes = posix_spawnattr_t()
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  var signals = sigset_t()
  sigemptyset(&signals)
  posix_spawnattr_setsigmask(&attributes, &signals)
  sigfillset(&signals)
  posix_spawnattr_setsigdefault(&attributes, &signals)
  // A group of its own: Ctrl-C is for us, and we end it.
  posix_spawnattr_setpgroup(&attributes, 0)
  posix_spawnattr_setflags(
    &attributes,
    Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))

  let words = [
    "ffmpeg", "-nostdin", "-v", "error", "-protocol_whitelist", "file", "-i", "/dev/stdin",
    "-map", "0:a:0", "-f", "wav", "-c:a", "pcm_f32le", "-protocol_whitelist", "pipe", "pipe:1",
  ]
  let arguments = words.map { strdup($0) } + [nil]
  defer { for argument in arguments { free(argument) } }
  var identifier = pid_t()
  let code = posix_spawnp(&identifier, "ffmpeg", &actions, &attributes, arguments, environ)
  return code == 0 ? identifier : nil
}
