import Glibc

/// FFmpeg as a child process, for what no library of ours reads: it writes WAV into a pipe.
final class FFmpeg: Sendable {
  /// What it writes.
  let output: Descriptor
  private let identifier: pid_t

  /// Starts it; nil where it is not installed, or cannot be started.
  ///
  /// - Parameter file: a regular file, which FFmpeg may seek in.
  init?(decoding file: Descriptor, path: String) {
    guard let pipe = try? Descriptor.pipe(path: path),
      let identifier = spawn(input: file.number, output: pipe.inlet.number)
    else { return nil }
    (output, self.identifier) = (pipe.outlet, identifier)
  }

  deinit {
    // It ends at once, also one that waits for a reader; nobody else waits for it.
    kill(identifier, SIGKILL)
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
  }

  /// Whether it has failed, to be asked when its output has ended.
  func hasFailed() -> Bool {
    var end = siginfo_t()
    // Without taking its end, so that its number stays its own.
    while waitid(P_PID, id_t(identifier), &end, WEXITED | WNOWAIT) < 0 && errno == EINTR {}
    return end.si_code != Int32(CLD_EXITED) || end._sifields._sigchld.si_status != 0
  }
}

/// With no signal blocked or ignored, as a shell starts it; our descriptors
/// close themselves.
private func spawn(input: Int32, output: Int32) -> pid_t? {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)

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
    "ffmpeg", "-nostdin", "-v", "quiet", "-protocol_whitelist", "file", "-i", "/dev/stdin",
    "-map", "0:a:0", "-f", "wav", "-c:a", "pcm_f32le", "-protocol_whitelist", "pipe", "pipe:1",
  ]
  let arguments = words.map { strdup($0) } + [nil]
  defer { for argument in arguments { free(argument) } }
  var identifier = pid_t()
  let code = posix_spawnp(&identifier, "ffmpeg", &actions, &attributes, arguments, environ)
  return code == 0 ? identifier : nil
}
