import AudioThreads
import Glibc
import Synchronization

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
