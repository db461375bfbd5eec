import Foundation
import TestTools
import Testing
import Wyoming

/// The running server from the PyPI package `wyoming`.
final class Peer {
  let address: WyomingAddress
  private let process = Process()

  /// The command line that starts the server on its standard input and output.
  static var overStdio: String {
    """
    PYTHONPATH='\(Checkout.file(".build/python").path)' \
    exec python3 '\(Checkout.file("Tests/Support/Wyoming/server.py").path)' stdio://
    """
  }

  /// Installs the package if it is missing.
  static func install() throws {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments = [Checkout.file("Tests/Support/python.sh").path]
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "python3 with pip and a network are needed")
  }

  /// Starts the server and waits until it listens.
  init(on address: WyomingAddress, _ modes: String...) throws {
    try Self.install()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      ["python3", Checkout.file("Tests/Support/Wyoming/server.py").path]
      + [address.description] + modes
    process.environment = ProcessInfo.processInfo.environment.merging([
      "PYTHONPATH": Checkout.file(".build/python").path
    ]) { $1 }
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
      .trimmingCharacters(in: .newlines)
    if case .tcp(let host, _) = address {
      self.address = .tcp(host: host, port: try #require(Int(line)))
    } else {
      self.address = address
    }
  }

  deinit {
    // SIGTERM would have no effect: threads of Swift's pool block it, and the child inherits the
    // signal mask.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
