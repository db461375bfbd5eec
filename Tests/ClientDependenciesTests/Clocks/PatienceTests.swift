import Testing

@testable import ClientDependencies

@Suite struct PatienceTests {
  @Test func `what the clock waits for ends the wait`() {
    var patience = Patience()
    let turns = [false, true].map {
      patience.isOver(isReady: $0, isWaking: false, othersSleep: false)
    }
    #expect(turns == [false, true])
  }

  @Test func `so does a process that is quiet for two turns in a row`() {
    var patience = Patience()
    let turns = [true, false, true, true].map {
      patience.isOver(isReady: false, isWaking: false, othersSleep: $0)
    }
    #expect(turns == [false, false, false, true])
  }

  @Test(arguments: [(false, 200), (true, 1_000)])
  func `a busy process ends it at last, later while a woken task has yet to run`(
    isWaking: Bool, count: Int
  ) {
    var patience = Patience()
    var turns = 1
    while !patience.isOver(isReady: false, isWaking: isWaking, othersSleep: false) { turns += 1 }
    #expect(turns == count)
  }
}
