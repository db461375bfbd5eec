import CLinux
import Glibc

/// Creates a pipe that no child process inherits; returns nil and sets `errno` on failure.
package func makePrivatePipe() -> (outlet: Int32, inlet: Int32)? {
  var ends: [Int32] = [-1, -1]
  return pipe2(&ends, O_CLOEXEC) == 0 ? (ends[0], ends[1]) : nil
}

/// Discards the output of C libraries.
///
/// libsndfile prints diagnostics to standard output, between the program's own lines. This
/// redirects C's `stdout`, and with it Swift's `print`, to `/dev/null`; descriptor 1 is unchanged.
/// Call it at program start, before other threads print.
public func discardLibraryOutput() {
  syrinx_discard_stdout()
}

/// Returns freed memory of the C library to the system; the corresponding C function is `malloc_trim`.
///
/// It takes some milliseconds for each gigabyte.
package func returnFreedMemory() {
  malloc_trim(0)
}

/// The system could not start a program.
package struct ProcessError: Error, Equatable {
  /// The `errno` value of `posix_spawnp`.
  package let code: Int32
}

/// Starts a program with default signal handling and only the given standard descriptors.
///
/// It runs in its own process group: Ctrl-C does not reach it, and its children can be ended with
/// it. The corresponding C function is `posix_spawnp`.
///
/// - Parameter words: the program's name and its arguments, as bytes.
/// - Returns: the process ID, valid until someone waits for the process.
package func startProcess(
  _ words: [[UInt8]], input: Int32, output: Int32, errors: Int32
) throws(ProcessError) -> Int32 {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
  posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
  // The child closes what it inherited. Listing the open descriptors here would miss those that
  // other threads and libraries open, without O_CLOEXEC, before the child begins.
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

  let words = words.map { $0.map(CChar.init(bitPattern:)) + [0] }
  let arguments = words.map { strdup($0) } + [nil]
  defer { for argument in arguments { free(argument) } }
  var identifier = pid_t()
  let code = posix_spawnp(
    &identifier, words.first ?? [0], &actions, &attributes, arguments, environ)
  guard code == 0 else { throw ProcessError(code: code) }
  return identifier
}
