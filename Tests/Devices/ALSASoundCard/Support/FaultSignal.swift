import AudioThreads
import Foundation
import Glibc

/// A named pipe on which a test card reports that its scripted fault has begun.
struct FaultSignal: Sendable {
  let path: String
  private let descriptor: CInt

  init(in bench: TestALSA) throws {
    path = bench.directory.appending(path: "\(UUID().uuidString).trouble").path()
    guard mkfifo(path, 0o600) == 0 else { throw POSIXError(.EIO) }
    // The pipe is opened for reading and writing, so that neither side waits for the other to open
    // it.
    descriptor = open(path, O_RDWR | O_CLOEXEC)
  }

  /// Returns once the card has reported the fault.
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
