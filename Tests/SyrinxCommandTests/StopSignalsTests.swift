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
  func `an error of the work ends the wait as well`() async {
    await #expect(throws: CommandEnd.reported) {
      try await StopSignals().finishing(with: {}) { throw CommandEnd.reported }
    }
  }
}
