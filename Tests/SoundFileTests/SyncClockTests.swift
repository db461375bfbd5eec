import Testing

@testable import SoundFile

@Suite struct SyncClockTests {
  @Test func `one request is under way at a time and the others are one`() {
    var clock = SyncClock()
    let asked = [clock.request(), clock.request(), clock.request()]
    #expect(asked == [true, false, false])
    let again = [clock.done(), clock.done()]
    #expect(again == [true, false])
    let next = clock.request()
    #expect(next)
  }

  @Test func `nothing is left to do where nothing came meanwhile`() {
    var clock = SyncClock()
    let begins = clock.request()
    let again = clock.done()
    #expect(begins && !again)
  }
}
