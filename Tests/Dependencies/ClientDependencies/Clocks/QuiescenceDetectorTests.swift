import Glibc
import Testing

@testable import ClientDependencies

@Suite struct QuiescenceDetectorTests {
  @Test func `the wait ends as soon as the expected sleeper has arrived`() {
    #expect(turns(isReady: { $0 == 2 }, running: { _ in [1: .zero] }) == 2)
  }

  @Test func `the wait ends after two consecutive checks in which no other thread runs`() {
    #expect(turns { $0 == 2 ? [1: .zero] : [:] } == 4)
    #expect(turns(isWaking: { $0 == 2 }, running: { _ in [:] }) == 4)
  }

  @Test func `an advance does not wait for a long-running thread`() {
    let quarter: Duration = QuiescenceDetector.share / 4
    #expect(turns(running: { [1: .seconds(7) + quarter * ($0 - 1)] }) == 6)
  }

  @Test func `an advance waits for a runnable thread that gets no processor time`() {
    #expect(turns { $0 < 9 ? [1: .seconds(7)] : [1: .seconds(8)] } == 10)
  }

  @Test func `a thread that starts during the wait gets the full time to reach its next sleep`() {
    #expect(
      turns { $0 < 4 ? [1: QuiescenceDetector.share * $0] : [2: QuiescenceDetector.share * $0] }
        == 3)
    #expect(
      turns { $0 < 3 ? [1: QuiescenceDetector.share * $0] : [2: QuiescenceDetector.share * $0] }
        == 5)
  }

  @Test func `the wait lasts until the main actor's work is done, unless no thread runs`() {
    #expect(turns(isMainDone: { $0 >= 5 }, running: { [1: QuiescenceDetector.share * $0] }) == 6)
    #expect(turns(isMainDone: { _ in false }, running: { _ in [:] }) == 2)
  }

  @Test func `a wait for a thread or task that never runs ends after 1,000 checks`() {
    #expect(turns { _ in [1: .zero] } == 1_000)
    #expect(turns(isWaking: { _ in true }, running: { _ in [:] }) == 1_000)
  }

  @Test func `a wait ends after 200 checks if the kernel does not report the threads`() {
    #expect(turns { _ in nil } == 200)
  }

  /// Returns the number of checks (calls of `isOver`) until the wait ends.
  private func turns(
    isReady: (Int) -> Bool = { _ in false }, isWaking: (Int) -> Bool = { _ in false },
    isMainDone: (Int) -> Bool = { _ in true }, running: (Int) -> [pid_t: Duration]?
  ) -> Int {
    var detector = QuiescenceDetector()
    var turn = 1
    while !detector.isOver(
      isReady: isReady(turn), isWaking: isWaking(turn), isMainDone: isMainDone(turn),
      running: running(turn))
    {
      turn += 1
    }
    return turn
  }
}
