import AudioThreads
import Foundation
import SpeechEngine
import Synchronization
import Testing
import Wyoming

@testable import WyomingEngine

/// Engines in child processes that end in every possible way.
@Suite struct ServerProcessTests {
  private let answer = """
    info='{"type":"info","data":{"asr":[{"name":"x","models":[{"name":"m","languages":["en"]}]}]}}'
    read -r describe; echo "$info"
    """

  private func failure(of script: String) throws -> String? {
    let session = try SpeechEngine.patient(.stdio(command: "\(answer)\n\(script)")).session()
    guard case .failed(let reason) = engineError({ _ = try session.recognize(tenths: 3) }) else {
      return nil
    }
    return reason
  }

  @Test(arguments: [
    ("exit 3", "the process ended with status 3"),
    (
      "echo first >&2; echo 'mdef is damaged' >&2; exit 1",
      "the process ended with status 1: mdef is damaged"
    ),
    ("printf 'no newline' >&2; exit 0", "the process ended with status 0: no newline"),
    ("kill -ABRT $$", "the process was ended by signal 6 (Aborted)"),
    ("echo boom >&2; kill -KILL $$", "the process was ended by signal 9 (Killed): boom"),
    ("read -r line; kill -SEGV $$", "the process was ended by signal 11 (Segmentation fault)"),
  ]) func `the error for a child that ends during an utterance contains its status and last line`(
    script: String, ending: String
  ) throws {
    let reason = try failure(of: script)
    #expect(reason?.hasSuffix(ending) == true, "\(reason as Any)")
  }

  /// Runs in its own process, because the limit applies to all descriptors of a process.
  @Test
  func `a start that fails at the descriptor limit leaves neither open descriptors nor a child`()
    async
  {
    await #expect(processExitsWith: .success) {
      // This timer makes Dispatch open its eventfd now, before the descriptors are compared. The
      // descriptors in `others` are ignored, because Dispatch may open them later.
      await withCheckedContinuation { ready in
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(1)) { ready.resume() }
      }
      let others = ["anon_inode:[timerfd]", "anon_inode:[eventpoll]"]
      // Descriptors are compared by their targets; the descriptor of the listed folder itself is
      // omitted.
      let open = {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
          try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        }.filter { !$0.hasSuffix("/fd") && !others.contains($0) }.sorted()
      }
      let before = try open()
      var failures = 0
      // Each round leaves room for one more descriptor, so starting the child fails at a later
      // descriptor.
      for spare in 0..<12 {
        let fillers = (0..<spare).map { _ in dup(0) }
        let next = dup(0)
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(7), &limit)
        let usual = limit.rlim_cur
        limit.rlim_cur = rlim_t(next)
        for filler in fillers + [next] { close(filler) }
        setrlimit(__rlimit_resource_t(7), &limit)
        let started = try? ServerProcess.start("sleep 1000")
        limit.rlim_cur = usual
        setrlimit(__rlimit_resource_t(7), &limit)
        guard started == nil else { break }
        failures += 1
        let now = try open()
        // Only new descriptors are counted, because Dispatch may close its own descriptors
        // meanwhile.
        let left = now.difference(from: before).insertions
        #expect(left.isEmpty, "with \(spare) to spare: \(left) beside \(before)")
        let (child, code) = (waitpid(-1, nil, WNOHANG), errno)
        #expect(child == -1 && code == ECHILD, "with \(spare) to spare: \(child), \(code)")
      }
      #expect(failures > 4 && failures < 12, "\(failures)")
    }
  }

  @Test func `a child that ends before it describes itself is reported as unreachable`() {
    let missing = SpeechEngine.patient(.stdio(command: "no-such-program --serve"))
    let error = engineError { _ = try missing.session() }
    guard case .unreachable("stdio:no-such-program --serve", let reason) = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(reason.hasPrefix("the process ended with status 127: "))
    #expect(reason.contains("no-such-program"))
  }

  @Test func `a child that does not respond is ended with all its children`() throws {
    let folder = URL.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let pipe = folder.appending(path: "alive").path
    #expect(mkfifo(pipe, 0o600) == 0)
    // The pipe is opened before the child starts, and without waiting for a writer. Otherwise the
    // test would hang if the child were killed before it opens the pipe.
    let outlet = open(pipe, O_RDONLY | O_NONBLOCK)
    try #require(outlet >= 0)
    let alive = FileHandle(fileDescriptor: outlet, closeOnDealloc: true)
    // The child ignores SIGTERM. The pipe stays open until the grandchild (`sleep`) has ended, too.
    let script = "trap '' TERM; exec 3>'\(pipe)'; sleep 1000 & echo $! >&3; wait"
    let engine = SpeechEngine.patient(.stdio(command: script)) {
      $0.startTimeout = .milliseconds(2_500)
    }
    let error = SpeechEngine.errorOfSession(engine)
    #expect(error.wait().contains("did not answer within 2.5 seconds"))
    // The pipe reaches its end only when every process that can write to it has ended.
    _ = fcntl(outlet, F_SETFL, 0)
    #expect(try alive.readToEnd()?.isEmpty == false)
  }

  @Test func `when this process ends, its child and the child's own children end`() throws {
    let folder = URL.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let pipe = folder.appending(path: "alive").path
    #expect(mkfifo(pipe, 0o600) == 0)
    let living = LivingChildren()
    let (child, bytes) = try ServerProcess.start(
      "exec 3>'\(pipe)'; sleep 1000 & echo started >&3; wait", living: living)
    let alive = try #require(FileHandle(forReadingAtPath: pipe))
    #expect(try alive.read(upToCount: 8) == Data("started\n".utf8))
    living.end()
    // The pipe reaches its end only when every process that can write to it has ended.
    #expect(try alive.readToEnd() == nil)
    #expect(child.ending(within: .seconds(60))?.contains("signal 15") == true)
    withExtendedLifetime(bytes) {}
  }

  @Test func `a child that cannot be started is an error with the system's reason`() {
    // No program accepts such a long argument.
    let command = String(repeating: "x", count: 200_000)
    #expect(throws: LinkError.system(E2BIG)) { _ = try ServerProcess.start(command) }
  }

  @Test func `reading a socket without available bytes returns nil instead of blocking`() throws {
    let (ours, theirs) = try ServerProcess.sockets()
    #expect(try ByteLink(input: ours, output: ours).read() == nil)
    withExtendedLifetime(theirs) {}
  }

  @Test func `after a child server has died, the next session starts a new child`() throws {
    let folder = URL.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Peer.install()
    let mark = folder.appending(path: "died").path
    let dying = """
      touch '\(mark)'
      info='{"type":"info","data":{"asr":[{"name":"x"}]}}'
      while read -r line; do
        case $line in *audio-start*) exit 7 ;; *describe*) echo "$info" ;; esac
      done
      """
    let script = "if [ ! -e '\(mark)' ]; then\n\(dying)\nfi\n\(Peer.overStdio)"
    let engine = SpeechEngine.patient(.stdio(command: script))
    let first = try engine.session()
    #expect(
      engineError { _ = try first.recognize(tenths: 1) }?.description.hasSuffix("status 7") == true)
    #expect(try engine.session().recognize(tenths: 1).text.hasPrefix("heard 3200 bytes"))
  }

  @Test func `a child that is restarted between utterances gets the longer start timeout`() throws {
    let folder = URL.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let mark = folder.appending(path: "died").path
    // The first child ends after describing itself; the second reports the first event it received.
    let script = """
      if [ -e '\(mark)' ]; then
        read -r line
        case $line in *describe*) ;; *) exit 4 ;; esac
        echo '{"type":"info","data":{"asr":[{"name":"x"}]}}'
        read -r line
        exit 3
      fi
      touch '\(mark)'
      \(answer)
      """
    let session = try SpeechEngine.patient(.stdio(command: script)).session()
    let error = engineError { _ = try session.recognize(tenths: 3) }
    #expect(error?.description.hasSuffix("status 3") == true, "\(error as Any)")
  }

  @Test func `a child server is reused by the next session`() throws {
    try Peer.install()
    let links = LinkPool(
      server: .stdio(command: Peer.overStdio), options: WyomingEngineOptions())
    var identities: Set<ObjectIdentifier> = []
    for _ in 0..<3 {
      _ = try links.describe()
      let link = try links.acquire()
      identities.insert(ObjectIdentifier(link))
      links.giveBack(link)
    }
    #expect(identities.count == 1)
  }

  @Test func `the log's last line is its last nonempty line, even if that line is incomplete`() {
    var line = LastLine()
    #expect(line.text == "")
    for (piece, text) in [("a", "a"), ("b\n", "ab"), ("\n\n", "ab"), ("c", "c")] {
      line.add(piece.utf8)
      #expect(line.text == text)
    }
    line.add([UInt8](repeating: 120, count: 5_000))
    #expect(line.text.utf8.count == LastLine.limit)
  }
}

/// An error that one thread sets and another thread waits for.
final class PendingError: Sendable {
  private let text = Mutex("")
  private let isThere: WakeUp?

  init(_ body: @escaping @Sendable () throws -> Void) {
    isThere = try? WakeUp()
    _ = try? DedicatedThread.start(name: "test-session") { [self] in
      do { try body() } catch { text.withLock { $0 = "\(error)" } }
      isThere?.signal()
    }
  }

  func wait() -> String {
    isThere?.wait(atMost: .seconds(60))
    return text.withLock { $0 }
  }
}

extension SpeechEngine {
  fileprivate static func errorOfSession(_ engine: SpeechEngine) -> PendingError {
    PendingError { _ = try engine.session() }
  }
}
