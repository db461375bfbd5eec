import Testing

@testable import AudioPlayerClientLive

@Suite struct SmoothedGainTests {
  @Test func `a gain changes in equal steps and ends exactly at its target`() {
    var ramp = SmoothedGain(1)
    ramp.move(to: 0, in: 4)
    #expect((0..<6).map { _ in ramp.next() } == [0.75, 0.5, 0.25, 0, 0, 0])
    #expect(ramp.isSteady)
  }

  @Test func `a gain moves to a new target from its current value`() {
    var ramp = SmoothedGain(0)
    ramp.move(to: 1, in: 4)
    _ = ramp.next()
    _ = ramp.next()
    ramp.move(to: 0, in: 2)
    #expect(ramp.next() == 0.25)
    #expect(ramp.next() == 0)
  }

  @Test func `a shorter ramp to the same target replaces the current ramp`() {
    var ramp = SmoothedGain(1)
    ramp.move(to: 0, in: 8)
    for _ in 0..<4 { _ = ramp.next() }
    ramp.move(to: 0, in: 2)
    #expect((0..<3).map { _ in ramp.next() } == [0.25, 0, 0])
    ramp.move(to: 0, in: 2)
    #expect(ramp.isSteady)
  }

  @Test func `setting the same target and ramp again does not restart the ramp`() {
    var ramp = SmoothedGain(1)
    ramp.move(to: 0, in: 8)
    for _ in 0..<4 { _ = ramp.next() }
    ramp.move(to: 0, in: 8)
    #expect(ramp.framesLeft == 4)
  }

  @Test func `a gain ramp can be shortened but not lengthened`() {
    var ramp = SmoothedGain(1)
    ramp.move(to: 0, in: 8)
    _ = ramp.next()
    ramp.arrive(within: 100)
    #expect(ramp.framesLeft == 7)
    ramp.arrive(within: 2)
    #expect((0..<2).map { _ in ramp.next() } == [0.4375, 0])
    ramp.arrive(within: 0)
    #expect(ramp.isSteady)
  }

  @Test(arguments: [0, 1, 4, 5, 9])
  func `skipping frames leaves the gain at the same value as reading the frames one by one`(
    frames: Int
  ) {
    var ramp = SmoothedGain(1)
    ramp.move(to: 0.3, in: 5)
    var other = ramp
    ramp.skip(frames)
    for _ in 0..<frames { _ = other.next() }
    #expect(ramp == other)
  }
}
