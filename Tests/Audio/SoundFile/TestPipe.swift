import AudioThreads
import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// A pipe whose ends are open until the test closes them.
final class TestPipe: Sendable {
  let outlet: Int32
  let inlet: Int32

  init() {
    var ends: [Int32] = [-1, -1]
    pipe(&ends)
    // A program that another test is starting must not inherit the pipe and keep it open.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (outlet, inlet) = (ends[0], ends[1])
    // A test that writes to a pipe without a reader gets an error instead of SIGPIPE.
    signal(SIGPIPE, SIG_IGN)
  }

  func write(_ data: Data) {
    var rest = data
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Glibc.write(inlet, $0.baseAddress, $0.count) }
      guard written > 0 else { return }
      rest = rest.dropFirst(written)
    }
  }

  /// Writes all bytes on a new thread, which then closes the write end.
  func feed(_ data: Data) throws {
    _ = try DedicatedThread.start(name: "feed") {
      self.write(data)
      close(self.inlet)
    }
  }

  /// Closes the read end, and returns when no descriptor of the read end is open anywhere.
  func waitForReadersToGo() {
    close(outlet)
    var descriptor = pollfd(fd: inlet, events: 0, revents: 0)
    poll(&descriptor, 1, -1)
    close(inlet)
  }
}
