import Foundation
import Synchronization
import Testing

@testable import SyrinxCommand

struct StopSignalsTests {
  @Test
  func `finishing(with:) returns the body's result without waiting for a signal`() async throws {
    let signals = StopSignals()
    let result = try await signals.finishing(with: { Issue.record("nothing asked to finish") }) {
      "done"
    }
    #expect(result == "done")
    #expect(signals.received == nil)
  }

  @Test
  func `finishing(with:) rethrows the body's error without waiting for a signal`() async {
    await #expect(throws: CommandEnd.reported) {
      try await StopSignals().finishing(with: {}) { throw CommandEnd.reported }
    }
  }

  @Test
  func `the first signal finishes the work and the second ends the process`() {
    let signals = StopSignals()
    signals.begin()
    #expect(signals.receive(SIGTERM))
    #expect(signals.received == SIGTERM)
    #expect(!signals.receive(SIGINT))
    #expect(StopSignals.status(SIGINT) == 130)
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
  func `without work to finish, the first signal ends the process`(signal: Int32, status: Int32) {
    #expect(StopSignals.status(signal) == status)
    let signals = StopSignals()
    #expect(!signals.receive(signal))
    #expect(signals.received == nil)
  }

  @Test
  func `before a command runs, SIGUSR1 and SIGUSR2 do nothing, and other signals end the process`()
  {
    #expect([SIGUSR1, SIGUSR2].allSatisfy { !StopSignals.endsProcess($0, nil) })
    #expect([SIGINT, SIGTERM, SIGHUP].allSatisfy { StopSignals.endsProcess($0, nil) })
    #expect(StopSignals.endsProcess(SIGUSR1, StopSignals()))
    #expect(!StopSignals.endsProcess(SIGUSR1, StopSignals(takesCommands: true)))
  }

  @Test func `every function of 'beforeExit' is called, in order`() {
    let signals = StopSignals()
    let calls = Mutex<[Int]>([])
    for number in 1...3 {
      signals.beforeExit { calls.withLock { $0.append(number) } }
    }
    signals.callLastActs()
    #expect(calls.withLock(\.self) == [1, 2, 3])
  }

  @Test
  func `SIGUSR1 and SIGUSR2 control a recording and end any other command`() {
    for signal in [SIGUSR1, SIGUSR2] {
      #expect(StopSignals(takesCommands: true).receive(signal))
      #expect(!StopSignals().receive(signal))
    }
  }
}
