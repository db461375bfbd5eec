import AudioThreads
import Foundation
import Glibc

/// A named pipe by which a test card tells that it is in the trouble of its script.
struct Trouble: Sendable {
  let path: String
  private let descriptor: CInt

  init(in bench: TestBench) throws {
    path = bench.directory.appending(path: "\(UUID().uuidString).trouble").path()
    guard mkfifo(path, 0o600) == 0 else { throw POSIXError(.EIO) }
    // For both, so that the pipe is there as long as this is.
    descriptor = open(path, O_RDWR | O_CLOEXEC)
  }

  /// Returns when the card has told.
  func begins() async throws {
    let told = Gate()
    let thread = try DedicatedThread.start(name: "trouble") { [descriptor] in
      var byte: UInt8 = 0
      _ = read(descriptor, &byte, 1)
      told.open()
    }
    await told.wait()
    await thread.join()
  }

  func close() {
    Glibc.close(descriptor)
    unlink(path)
  }
}
