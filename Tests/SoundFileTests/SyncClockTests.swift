import Testing

@testable import SoundFile

@Suite struct SyncClockTests {
  @Test func `one request is under way at a time and the others are one`() {
    var clock = SyncClock()
    let asked = [0, 1, 2].map { clock.request(at: .seconds($0)) }
    #expect(asked == [.begin, .wait, .wait])
    let again = [3, 3].map { clock.done(at: .seconds($0)).beginsNext }
    #expect(again == [true, false])
    let next = clock.request(at: .seconds(4))
    #expect(next == .begin)
  }

  @Test func `nothing is left to do where nothing came meanwhile`() {
    var clock = SyncClock()
    let begins = clock.request(at: .zero)
    let done = clock.done(at: .seconds(5))
    #expect(begins == .begin && !done.beginsNext && done.slowness == nil)
  }

  @Test func `a disk that blocks for over five seconds is reported once, while it blocks`() {
    var clock = SyncClock()
    let asked = (0...8).map { clock.request(at: .seconds($0)) }
    #expect(asked.firstIndex(of: .waitAndReport(.seconds(6))) == 6)
    #expect(asked.filter { $0 == .wait }.count == 7)
    #expect(clock.done(at: .seconds(9)).slowness == nil)
  }

  @Test func `a slow call that was not seen meanwhile is reported at its end, each time`() {
    var clock = SyncClock()
    for start in [0, 100] {
      #expect(clock.request(at: .seconds(start)) == .begin)
      #expect(clock.done(at: .seconds(start + 6)).slowness == .seconds(6))
    }
  }

  @Test func `what follows at once is measured from its own beginning`() {
    var clock = SyncClock()
    _ = clock.request(at: .zero)
    _ = clock.request(at: .seconds(1))
    _ = clock.done(at: .seconds(4))
    #expect(clock.done(at: .seconds(8)).slowness == nil)
  }
}
