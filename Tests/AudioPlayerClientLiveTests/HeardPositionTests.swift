import Testing

@testable import AudioPlayerClientLive

@Suite struct HeardPositionTests {
  @Test func `heard is written less the delay`() {
    var position = HeardPosition()
    position.write(100)
    position.observe(delay: 30)
    #expect(position.heard == 70)
  }

  @Test(arguments: [-50, 0, 1_000_000, Int(Int32.max)])
  func `a delay that lies moves it neither back nor beyond what was written`(delay: Int) {
    var position = HeardPosition()
    position.write(100)
    position.observe(delay: 60)
    position.observe(delay: delay)
    #expect((40...100).contains(position.heard))
  }

  @Test func `a device that has run dry has been heard to the end`() {
    var position = HeardPosition()
    position.write(100)
    position.finish()
    #expect(position.heard == 100)
  }

  @Test func `what is lost with the device is written again, and what cannot be counts as heard`() {
    var position = HeardPosition()
    position.write(800)
    position.observe(delay: 500)
    var other = position
    position.lose(keeping: 500)
    #expect(position.written == 300 && position.heard == 300)
    other.lose(keeping: 400)
    #expect(other.written == 400 && other.heard == 400)
  }
}
