import AudioThreads
import FilePaths
import Glibc
import Synchronization

/// A child process that serves on its standard input and output.
///
/// Its input is a socket, because writing to a pipe without a reader raises a signal in this
/// process. Ctrl-C reaches the child only as the end of its standard input. One thread waits for
/// the child's end, and another reads its standard error.
final class ServerProcess: Sendable {
  /// The time for a child to end after the end of its input, and again after SIGTERM.
  private static let grace = Duration.seconds(1)

  private let child: ChildProcess
  private let living: LivingChildren
  private let ended: WakeUp
  private let logEnded: WakeUp
  // The lock is held to add to the log or read it.
  private let log = Mutex(LastLine())

  /// Runs a line of shell script in a child process.
  ///
  /// `living` is the registry of children that end with this process.
  static func start(
    _ command: String, living: LivingChildren = .ofProcess
  ) throws(LinkError) -> (process: ServerProcess, bytes: ByteLink) {
    let input = try sockets()
    guard let output = Descriptor.pipe(), let log = Descriptor.pipe() else {
      throw .system(errno)
    }
    let words: [FilePath] = ["/bin/sh", "-c", FilePath(command)]
    let child: ChildProcess
    do throws(SystemError) {
      child = try ChildProcess(
        words.map(\.bytes), input: input.theirs.number, output: output.inlet.number,
        errors: log.inlet.number)
    } catch {
      throw .system(error.code)
    }
    return (
      try ServerProcess(child, log: log.outlet, living: living),
      ByteLink(input: output.outlet, output: input.ours)
    )
  }

  /// Creates two connected sockets.
  static func sockets() throws(LinkError) -> (ours: Descriptor, theirs: Descriptor) {
    var pair: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &pair) == 0 else { throw .system(errno) }
    return (Descriptor(owning: pair[0]), Descriptor(owning: pair[1]))
  }

  private init(
    _ child: ChildProcess, log: Descriptor, living: LivingChildren
  ) throws(LinkError) {
    (self.child, self.living) = (child, living)
    do throws(SystemError) {
      (ended, logEnded) = (try WakeUp(), try WakeUp())
      living.add(self)
      _ = try DedicatedThread.start(name: "syrinx-child") { [self] in
        child.wait()
        living.remove(child.identifier)
        ended.signal()
      }
      _ = try DedicatedThread.start(name: "syrinx-child-log") { [self] in read(log) }
    } catch {
      child.kill(SIGKILL)
      child.wait()
      living.remove(child.identifier)
      throw .system(error.code)
    }
  }

  /// Describes the end of the child in a sentence, with its status or signal and its last line on
  /// standard error.
  ///
  /// Returns nil if the child still runs after `time`, or if `interruption` is signaled before the
  /// child ends.
  func ending(within time: Duration, until interruption: WakeUp? = nil) -> String? {
    guard hasEnded(within: time, until: interruption), let status = child.status else { return nil }
    // The child's last output may still arrive. The wait is limited, because a grandchild may keep
    // the log open.
    logEnded.wait(atMost: .milliseconds(500))
    let (signal, lastLine) = (status & 0x7f, log.withLock(\.text))
    let ending =
      signal == 0
      ? "the process ended with status \(status >> 8 & 0xff)"
      : "the process was ended by signal \(signal) (\(String(cString: strsignal(signal))))"
    return lastLine.isEmpty ? ending : "\(ending): \(lastLine)"
  }

  /// Ends the child, whose connection is already closed.
  ///
  /// If the child has not ended after 0.1 s, a separate thread waits, then terminates the child.
  func end() {
    guard !hasEnded(within: .milliseconds(100)) else { return }
    do {
      _ = try DedicatedThread.start(name: "syrinx-child-end") { [self] in
        if !hasEnded(within: Self.grace) { terminate() }
      }
    } catch {
      child.kill(SIGKILL)
    }
  }

  /// Sends SIGTERM, and SIGKILL if the child does not end.
  fileprivate func terminate() {
    child.kill(SIGTERM)
    if !hasEnded(within: Self.grace) { child.kill(SIGKILL) }
  }

  /// Waits for the child's end, for at most `time` or until `interruption` is signaled; returns
  /// whether the child has ended.
  @discardableResult
  fileprivate func hasEnded(
    within time: Duration = grace, until interruption: WakeUp? = nil
  ) -> Bool {
    if child.status == nil {
      var requests = [pollfd(fd: ended.fileDescriptor, events: Int16(POLLIN), revents: 0)]
      _ = try? poll(&requests, within: TimeBudget(time), until: interruption)
    }
    return child.status != nil
  }

  fileprivate var identifier: pid_t { child.identifier }

  private func read(_ descriptor: Descriptor) {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = Glibc.read(descriptor.number, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      log.withLock { $0.add(buffer[..<count]) }
    }
    logEnded.signal()
  }
}

/// The running children; at the end of this process, they and their process groups are ended.
final class LivingChildren: Sendable {
  static let ofProcess: LivingChildren = {
    // Otherwise, an idle child kept for the next session, or a child that is still ending, would
    // outlive this process.
    atexit { LivingChildren.ofProcess.end() }
    at_quick_exit { LivingChildren.ofProcess.end() }
    return LivingChildren()
  }()

  // The lock is held to add or remove a child.
  private let children = Mutex<[pid_t: ServerProcess]>([:])

  fileprivate func add(_ child: ServerProcess) {
    children.withLock { $0[child.identifier] = child }
  }

  fileprivate func remove(_ identifier: pid_t) {
    // The child is released after the lock has been released.
    _ = children.withLock { $0.removeValue(forKey: identifier) }
  }

  /// Ends the children and returns when they have ended.
  func end() {
    for child in children.withLock({ Array($0.values) }) { child.terminate() }
    for child in children.withLock({ Array($0.values) }) { child.hasEnded() }
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
