import Foundation
import Testing

@testable import SyrinxCommand

struct StopSignalsTests {
  @Test
  func `work that ends by itself ends the wait for signals`() async throws {
    let signals = StopSignals()
    let result = try await signals.finishing(with: { Issue.record("nothing asked to finish") }) {
      "done"
    }
    #expect(result == "done")
    #expect(signals.received == nil)
  }

  @Test
  func `an error of the work ends the wait for signals`() async {
    await #expect(throws: CommandEnd.reported) {
      try await StopSignals().finishing(with: {}) { throw CommandEnd.reported }
    }
  }
}

struct StopSequenceTests {
  @Test
  func `the first signal finishes the work and the second ends the process`() {
    var sequence = StopSequence()
    sequence.begin()
    #expect(sequence.receive(SIGTERM) == .finish)
    #expect(sequence.first == SIGTERM)
    #expect(sequence.receive(SIGINT) == .exit(130))
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
  func `without work to finish, the first signal ends the process`(
    signal: Int32, status: Int32
  ) {
    var sequence = StopSequence()
    #expect(sequence.receive(signal) == .exit(status))
    #expect(sequence.first == nil)
  }
}
