import CLinux
import Glibc
import Synchronization

/// A child process in its own process group; its children end with it.
///
/// Ctrl-C does not reach it. If this process exits without `kill`, a child that ignores closed
/// pipes keeps running.
///
/// Thread safety: all methods may be called from any thread.
package final class ChildProcess: Sendable {
  /// The process ID, valid until the status has been collected.
  package let identifier: Int32
  // The status from `waitpid`. The lock is held while a signal is sent, so that the status is not
  // collected and the process ID is not reused meanwhile.
  private let collected = Mutex<Int32?>(nil)

  /// Starts a program with default signal handling and only the given standard descriptors.
  ///
  /// The corresponding C function is `posix_spawnp`.
  ///
  /// - Parameters:
  ///   - words: the program's name and its arguments, as bytes.
  ///   - input: its standard input.
  ///   - output: its standard output.
  ///   - errors: its standard error.
  ///   - variables: the environment variables to add or to replace; the others are those of this
  ///     process.
  package init(
    _ words: [[UInt8]], input: Int32, output: Int32, errors: Int32,
    variables: [String: [UInt8]] = [:]
  ) throws(SystemError) {
    identifier = try spawn(
      words, input: input, output: output, errors: errors, variables: variables)
  }

  /// Ends the child and its children if they still run.
  deinit {
    kill(SIGKILL)
    wait()
  }

  /// The status from `waitpid`; nil until `wait` has collected it.
  package var status: Int32? { collected.withLock(\.self) }

  /// Sends a signal to the child and its children, unless the child's status has been collected.
  package func kill(_ signal: Int32) {
    collected.withLock { if $0 == nil { _ = Glibc.kill(-identifier, signal) } }
  }

  /// Waits for the end of the child, ends its children, and returns the status from `waitpid`.
  @discardableResult
  package func wait() -> Int32 {
    if let status { return status }
    var information = siginfo_t()
    // WNOWAIT leaves the child a zombie, so other threads can still send it signals.
    while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    return collected.withLock { collected in
      if let collected { return collected }
      _ = Glibc.kill(-identifier, SIGKILL)
      var status: Int32 = 0
      while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
      collected = status
      return status
    }
  }
}

private func spawn(
  _ words: [[UInt8]], input: Int32, output: Int32, errors: Int32, variables: [String: [UInt8]]
) throws(SystemError) -> Int32 {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
  posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
  // The child closes the inherited descriptors itself. A list made here would miss descriptors that
  // other threads and libraries open without O_CLOEXEC before the child begins.
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)

  var attributes = posix_spawnattr_t()
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  var signals = sigset_t()
  sigemptyset(&signals)
  posix_spawnattr_setsigmask(&attributes, &signals)
  sigfillset(&signals)
  posix_spawnattr_setsigdefault(&attributes, &signals)
  posix_spawnattr_setpgroup(&attributes, 0)
  posix_spawnattr_setflags(
    &attributes,
    Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))

  let file = (words.first ?? []).map(CChar.init(bitPattern:)) + [0]
  let arguments = cStrings(words)
  let added = cStrings(variables.map { Array($0.utf8) + [UInt8(ascii: "=")] + $1 })
  defer { for text in arguments + added { free(text) } }
  var identifier = pid_t()
  let code = posix_spawnp(
    &identifier, file, &actions, &attributes, arguments,
    inheritedVariables(without: variables.keys) + added)
  guard code == 0 else { throw SystemError(failure: "no program could be started", code: code) }
  return identifier
}

/// Returns copies of texts, which the caller frees, and nil at the end.
private func cStrings(_ texts: [[UInt8]]) -> [UnsafeMutablePointer<CChar>?] {
  texts.map { strdup($0.map(CChar.init(bitPattern:)) + [0]) } + [nil]
}

/// Returns the variables of this process except those with the given names.
private func inheritedVariables(
  without names: some Collection<String>
) -> [UnsafeMutablePointer<CChar>?] {
  let prefixes = names.map { "\($0)=" }
  var (kept, next) = ([UnsafeMutablePointer<CChar>?](), environ)
  while let text = next.pointee {
    if !prefixes.contains(where: { strncmp(text, $0, $0.utf8.count) == 0 }) { kept.append(text) }
    next += 1
  }
  return kept
}

/// Discards the output of C libraries.
///
/// libsndfile prints diagnostics to standard output, between the program's own lines. This
/// redirects C's `stdout`, and with it Swift's `print`, to `/dev/null`; descriptor 1 is unchanged.
/// Call it at program start, before other threads print.
public func discardLibraryOutput() {
  syrinx_discard_stdout()
}

/// Returns freed memory of the C library to the system; the corresponding C function is
/// `malloc_trim`.
///
/// It takes some milliseconds for each gigabyte.
package func returnFreedMemory() {
  malloc_trim(0)
}
