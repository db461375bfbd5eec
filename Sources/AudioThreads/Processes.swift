import CLinux
import Glibc

/// A pipe that no program inherits, not even one that another thread starts meanwhile; nil where
/// the system refuses it, and `errno` says why.
///
/// The corresponding C function is `pipe2`.
package func makePrivatePipe() -> (outlet: Int32, inlet: Int32)? {
  var ends: [Int32] = [-1, -1]
  return pipe2(&ends, O_CLOEXEC) == 0 ? (ends[0], ends[1]) : nil
}

/// Discards what C libraries print.
///
/// libsndfile prints diagnostics to standard output, between the program's own lines. This
/// redirects C's `stdout`, and with it Swift's `print`, to `/dev/null`; descriptor 1 is unchanged.
/// Call it at the start of a program, before other threads print.
public func discardLibraryOutput() {
  syrinx_discard_stdout()
}

/// The system could not start a program.
package struct ProcessError: Error, Equatable {
  /// The `errno` value of `posix_spawnp`.
  package let code: Int32
}

/// Starts a program as a shell does, with no signal blocked or ignored, and with these descriptors
/// for its standard ones and no others.
///
/// It is in a process group of its own: Ctrl-C does not reach it, and what it starts can be ended
/// with it. The corresponding C function is `posix_spawnp`.
///
/// - Parameter words: its name and its arguments, as bytes.
/// - Returns: its number, which stays its own until somebody waits for its end.
package func startProcess(
  _ words: [[UInt8]], input: Int32, output: Int32, errors: Int32
) throws(ProcessError) -> Int32 {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
  posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
  for descriptor in openDescriptors() where descriptor > STDERR_FILENO {
    posix_spawn_file_actions_addclose(&actions, descriptor)
  }

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

/// What this process has open: what a library opened without `O_CLOEXEC` would stay open in the
/// child; all that it may have open where no descriptor is left to look with.
///
/// To close one that is gone by then is no error in `posix_spawn`.
private func openDescriptors() -> [Int32] {
  guard let folder = opendir("/proc/self/fd") else {
    return Array(0..<Int32(min(1 << 16, max(0, sysconf(Int32(_SC_OPEN_MAX))))))
  }
  defer { closedir(folder) }
  var descriptors: [Int32] = []
  while let entry = readdir(folder) {
    let name = withUnsafeBytes(of: entry.pointee.d_name) { name in
      String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
    }
    if let descriptor = Int32(name) { descriptors.append(descriptor) }
  }
  return descriptors
}
