import AudioCore
import Testing

@testable import ALSASoundCard

@Suite struct LossClockTests {
  let start = BootTime(nanoseconds: 0)

  @Test func `a playback loses the time after its last frame was heard`() {
    var clock = LossClock(direction: .playback, rate: 1_000)
    clock.saw(held: 50, at: start)
    clock.transferred(30)
    #expect(clock.lost(at: start + .milliseconds(200)) == 120)
  }

  @Test func `a playback that still holds frames has lost none`() {
    var clock = LossClock(direction: .playback, rate: 1_000)
    clock.saw(held: 500, at: start)
    #expect(clock.lost(at: start + .milliseconds(200)) == 0)
  }

  @Test func `a capture loses what it held and all that came since`() {
    var clock = LossClock(direction: .capture, rate: 1_000)
    clock.saw(held: 80, at: start)
    clock.transferred(50)
    #expect(clock.lost(at: start + .milliseconds(200)) == 230)
  }

  @Test func `a device that goes on with what it held loses the time alone`() {
    for direction in [AudioDevice.Direction.playback, .capture] {
      var clock = LossClock(direction: direction, rate: 1_000)
      clock.saw(held: 80, at: start)
      #expect(clock.lost(at: start + .milliseconds(200), isEmptied: false) == 200)
    }
  }

  @Test func `a device that never ran, or stands still, loses nothing`() {
    var clock = LossClock(direction: .capture, rate: 1_000)
    #expect(clock.lost(at: start + .seconds(1)) == 0)
    clock.saw(held: 10, at: start)
    clock.stopped()
    #expect(clock.lost(at: start + .seconds(1)) == 0)
  }

  @Test func `the time before the start does not count`() {
    var clock = LossClock(direction: .playback, rate: 1_000)
    clock.transferred(100)
    clock.restarted(at: start + .seconds(5))
    #expect(clock.lost(at: start + .milliseconds(5_150)) == 50)
  }

  @Test func `a night's sleep of the machine is lost from its first frame to its last`() {
    var clock = LossClock(direction: .capture, rate: 192_000)
    clock.saw(held: 80, at: start)
    let night = Duration.seconds(28_800)
    let missed: FrameCount = 5_529_600_080
    #expect(clock.lost(at: start + night) == missed)
  }
}
