import AudioThreads
import FilePaths
import Glibc
import Synchronization

/// A child process with a connection to its standard input and output.
///
/// Its input is a socket, because writing to a pipe whose reader has gone raises a signal here.
/// It is in a process group of its own, so that what it starts ends with it, and Ctrl-C reaches it
/// by the end of its standard input alone.
final class ChildProcess {
  /// How long a child may take to end by itself once its input has ended, and after SIGTERM.
  static let grace = Duration.seconds(1)

  let bytes: ByteLink
  private let watch: ChildWatch

  /// Starts a line of shell script.
  ///
  /// - Parameter living: the children that end with this process.
  init(command: String, living: LivingChildren = .ofProcess) throws(LinkTrouble) {
    let input = try Connection.sockets()
    let output = try Connection.pipe()
    let log = try Connection.pipe()
    let identifier = try spawnShell(
      command, input.theirs.number, output.theirs.number, log.theirs.number)
    watch = try ChildWatch(identifier: identifier, log: log.ours.released(), living: living)
    bytes = ByteLink(input: output.ours.released(), output: input.ours.released())
  }

  /// How the child ended: a sentence with its status or signal and its last line on standard error;
  /// nil where it still runs after that time.
  func ending(within time: Duration) -> String? {
    guard watch.waitForEnd(within: time) else { return nil }
    return watch.sentence
  }

  /// Sees to the child's end, on a thread of its own where it does not end at once; its connection
  /// is closed already.
  func end() {
    guard !watch.waitForEnd(within: .milliseconds(100)) else { return }
    let watch = watch
    do {
      _ = try DedicatedThread.start(name: "syrinx-child-end") { watch.endForcibly() }
    } catch {
      watch.kill(SIGKILL)
    }
  }
}

extension ChildWatch {
  fileprivate func endForcibly() {
    if !waitForEnd(within: ChildProcess.grace) { terminate() }
  }

  /// Sends SIGTERM, and SIGKILL to what it does not end.
  func terminate() {
    kill(SIGTERM)
    if !waitForEnd(within: ChildProcess.grace) { kill(SIGKILL) }
  }
}

/// Two connected descriptors, one for each side; each is closed by whoever has it last.
struct Connection: ~Copyable {
  let ours: OwnedDescriptor
  let theirs: OwnedDescriptor

  static func sockets() throws(LinkTrouble) -> Connection {
    var pair: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &pair) == 0 else { throw .system(errno) }
    return Connection(
      ours: OwnedDescriptor(number: pair[0]), theirs: OwnedDescriptor(number: pair[1]))
  }

  /// For what the other side writes.
  static func pipe() throws(LinkTrouble) -> Connection {
    guard let pipe = makePrivatePipe() else { throw .system(errno) }
    return Connection(
      ours: OwnedDescriptor(number: pipe.outlet), theirs: OwnedDescriptor(number: pipe.inlet))
  }
}

/// A descriptor that is closed with its owner.
struct OwnedDescriptor: ~Copyable {
  let number: Int32

  deinit {
    close(number)
  }

  /// Hands it over.
  consuming func released() -> Int32 {
    let number = number
    discard self
    return number
  }
}

/// Starts `/bin/sh` with these descriptors for its standard ones and no others, with no signal
/// blocked: on the thread of a recogniser all are.
private func spawnShell(
  _ command: String, _ input: Int32, _ output: Int32, _ log: Int32
) throws(LinkTrouble) -> pid_t {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
  posix_spawn_file_actions_adddup2(&actions, log, STDERR_FILENO)
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

  var identifier = pid_t()
  let words: [String] = ["/bin/sh", "-c", command]
  let arguments = words.map { FilePath($0).withCString { strdup($0) } } + [nil]
  defer { for argument in arguments { free(argument) } }
  let code = posix_spawn(&identifier, "/bin/sh", &actions, &attributes, arguments, environ)
  guard code == 0 else { throw .system(code) }
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
