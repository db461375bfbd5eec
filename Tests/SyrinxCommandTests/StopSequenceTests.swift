import Foundation
import Testing

@testable import SyrinxCommand

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
  func `where there is nothing to finish the first signal ends the process`(
    signal: Int32, status: Int32
  ) {
    var sequence = StopSequence()
    #expect(sequence.receive(signal) == .exit(status))
    #expect(sequence.first == nil)
  }
}
