import AudioThreads
import FilePaths
import Glibc
import Synchronization

/// A child process with a connection to its standard input and output.
///
/// Its input is a socket, because writing to a pipe without a reader raises a signal in this process.
/// It has its own process group, so that its children end with it, and Ctrl-C reaches it only as the end
/// of its standard input.
final class ChildProcess {
  /// The time that a child has to end after the end of its input, and again after SIGTERM.
  static let grace = Duration.seconds(1)

  let bytes: ByteLink
  private let watch: ChildWatch

  /// Starts a line of shell script.
  ///
  /// - Parameter living: the registry of children that end with this process.
  init(command: String, living: LivingChildren = .ofProcess) throws(LinkError) {
    let input = try Connection.sockets()
    let output = try Connection.pipe()
    let log = try Connection.pipe()
    let words: [FilePath] = ["/bin/sh", "-c", FilePath(command)]
    let identifier: pid_t
    do throws(ProcessError) {
      identifier = try startProcess(
        words.map(\.bytes), input: input.theirs.number, output: output.theirs.number,
        errors: log.theirs.number)
    } catch {
      throw .system(error.code)
    }
    watch = try ChildWatch(identifier: identifier, log: log.ours.released(), living: living)
    bytes = ByteLink(input: output.ours.released(), output: input.ours.released())
  }

  /// Describes the end of the child in a sentence, with its status or signal and its last line on
  /// standard error.
  ///
  /// Returns nil if it still runs after that time or when the interruption is signaled.
  func ending(within time: Duration, until interruption: WakeUp? = nil) -> String? {
    guard watch.waitForEnd(within: time, until: interruption) else { return nil }
    return watch.sentence
  }

  /// Ends the child, on its own thread if that takes long; its connection is already closed.
  func end() {
    guard !watch.waitForEnd(within: .milliseconds(100)) else { return }
    let watch = watch
    do {
      _ = try DedicatedThread.start(name: "syrinx-child-end") {
        if !watch.waitForEnd(within: ChildProcess.grace) { watch.terminate() }
      }
    } catch {
      watch.kill(SIGKILL)
    }
  }
}

extension ChildWatch {
  /// Sends SIGTERM, and SIGKILL if the child does not end.
  func terminate() {
    kill(SIGTERM)
    if !waitForEnd(within: ChildProcess.grace) { kill(SIGKILL) }
  }
}

/// Two connected descriptors, one for each side; the last owner of each closes it.
struct Connection: ~Copyable {
  let ours: OwnedDescriptor
  let theirs: OwnedDescriptor

  static func sockets() throws(LinkError) -> Connection {
    var pair: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &pair) == 0 else { throw .system(errno) }
    return Connection(
      ours: OwnedDescriptor(number: pair[0]), theirs: OwnedDescriptor(number: pair[1]))
  }

  /// A pipe that the other side writes to.
  static func pipe() throws(LinkError) -> Connection {
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

  /// Transfers the ownership.
  consuming func released() -> Int32 {
    let number = number
    discard self
    return number
  }
}

/// Waits for a child's end and reads its standard error, each on its own thread.
final class ChildWatch: Sendable {
  private struct State {
    var status: Int32?
    var lastLine = ""
  }

  let identifier: pid_t
  private let living: LivingChildren
  private let ended: WakeUp
  private let logEnded: WakeUp
  // Held to read or change the state, and while a signal is sent, so that the process ID stays
  // valid.
  private let state = Mutex(State())

  /// Takes ownership of the descriptor of the child's standard error.
  init(identifier: pid_t, log: Int32, living: LivingChildren) throws(LinkError) {
    self.identifier = identifier
    self.living = living
    var isWaitedFor = false
    do {
      (ended, logEnded) = (try WakeUp(), try WakeUp())
      living.add(self)
      _ = try DedicatedThread.start(name: "syrinx-child") { [self] in waitForChild() }
      isWaitedFor = true
      _ = try DedicatedThread.start(name: "syrinx-child-log") { [self] in readLog(log) }
    } catch {
      // The thread that would own it is the last one to start.
      close(log)
      _ = Glibc.kill(-identifier, SIGKILL)
      if !isWaitedFor {
        living.remove(identifier)
        waitpid(identifier, nil, 0)
      }
      throw .system((error as? WakeUpError)?.code ?? (error as? ThreadError)?.code ?? EAGAIN)
    }
  }

  /// Waits until the child has ended, at most for that time or until the interruption is signaled;
  /// returns whether it has.
  func waitForEnd(within time: Duration, until interruption: WakeUp? = nil) -> Bool {
    if state.withLock({ $0.status != nil }) { return true }
    var requests = [pollfd(fd: ended.fileDescriptor, events: Int16(POLLIN), revents: 0)]
    _ = try? poll(&requests, within: TimeBudget(time), until: interruption)
    return state.withLock { $0.status != nil }
  }

  /// Sends a signal to the child's process group.
  func kill(_ signal: Int32) {
    state.withLock { state in
      // Until its status has been collected, the process ID is not reused.
      if state.status == nil { _ = Glibc.kill(-identifier, signal) }
    }
  }

  /// A sentence about its end; nil while it runs.
  var sentence: String? {
    // The child's last output may still arrive; a grandchild may keep the log open.
    if state.withLock({ $0.status != nil }) { logEnded.wait(atMost: .milliseconds(500)) }
    let (status, lastLine) = state.withLock { ($0.status, $0.lastLine) }
    return status.map { Self.sentence(status: $0, lastLine: lastLine) }
  }

  /// A sentence for the status of `waitpid`.
  static func sentence(status: Int32, lastLine: String) -> String {
    let signal = status & 0x7f
    let ending =
      signal == 0
      ? "the process ended with status \(status >> 8 & 0xff)"
      : "the process was ended by signal \(signal) (\(String(cString: strsignal(signal))))"
    return lastLine.isEmpty ? ending : "\(ending): \(lastLine)"
  }

  private func waitForChild() {
    var information = siginfo_t()
    while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    state.withLock { state in
      // Ends the whole process group, whose ID is not reused until the child is collected.
      _ = Glibc.kill(-identifier, SIGKILL)
      var status: Int32 = 0
      waitpid(identifier, &status, 0)
      state.status = status
    }
    living.remove(identifier)
    ended.signal()
  }

  private func readLog(_ descriptor: Int32) {
    defer {
      logEnded.signal()
      close(descriptor)
    }
    var lines = LastLine()
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      lines.add(buffer[..<count])
      state.withLock { $0.lastLine = lines.text }
    }
  }
}

/// The running children; those of the process end with it, together with their process groups.
final class LivingChildren: Sendable {
  static let ofProcess: LivingChildren = {
    // Nothing else ends an idle child that is kept for the next session, or one that is still
    // ending.
    atexit { LivingChildren.ofProcess.end() }
    at_quick_exit { LivingChildren.ofProcess.end() }
    return LivingChildren()
  }()

  // Held to add or remove a child.
  private let watches = Mutex<[pid_t: ChildWatch]>([:])

  func add(_ child: ChildWatch) { watches.withLock { $0[child.identifier] = child } }

  func remove(_ identifier: pid_t) { watches.withLock { $0[identifier] = nil } }

  /// Ends the children and returns when they have ended.
  func end() {
    for child in watches.withLock({ Array($0.values) }) { child.terminate() }
    for child in watches.withLock({ Array($0.values) }) {
      _ = child.waitForEnd(within: ChildProcess.grace)
    }
  }
}

/// The beginning of the last nonempty line of a text that arrives in pieces.
struct LastLine {
  static let limit = 500

  private var complete: [UInt8] = []
  private var current: [UInt8] = []

  mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        if !current.isEmpty { complete = current }
        current = []
      } else if current.count < Self.limit {
        current.append(byte)
      }
    }
  }

  var text: String {
    String(decoding: current.isEmpty ? complete : current, as: UTF8.self)
  }
}
