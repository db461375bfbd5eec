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
