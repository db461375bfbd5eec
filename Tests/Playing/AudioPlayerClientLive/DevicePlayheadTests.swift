import AudioCore
import Testing

@testable import AudioPlayerClientLive

@Suite struct DevicePlayheadTests {
  private var playhead = DevicePlayhead(buffer: 800, rate: 8_000)

  @Test mutating func `the playhead is the number of written frames minus the delay`() {
    playhead.write(100)
    playhead.observe(delay: 30, at: .seconds(1))
    #expect(playhead.played == 70)
    #expect(playhead.unplayed == 30)
  }

  @Test(arguments: [-50, 0, 1_000_000, Int(Int32.max)])
  mutating func `a false delay moves the playhead neither back nor past the written frames`(
    delay: Int
  ) {
    playhead.write(100)
    playhead.observe(delay: 60, at: .seconds(1))
    playhead.observe(delay: delay, at: .seconds(2))
    #expect((40...100).contains(playhead.played))
  }

  @Test mutating func `if a device runs dry, playedAt is the time when its last frame was due`() {
    playhead.write(800)
    playhead.observe(delay: 720, at: .seconds(1))
    #expect(playhead.playedAt == .seconds(1))
    playhead.observe(delay: 80, at: .milliseconds(1_080))
    #expect(playhead.playedAt == .milliseconds(1_080))
    playhead.observe(delay: 0, at: .milliseconds(1_150))
    #expect(playhead.played == 800 && playhead.playedAt == .milliseconds(1_090))
  }

  @Test mutating func `after an underrun, the playhead is at the last written frame`() {
    playhead.write(100)
    playhead.finish()
    #expect(playhead.played == 100)
  }

  @Test mutating func `after an underrun, playedAt is the time when the last frame was due`() {
    playhead.write(800)
    playhead.observe(delay: 384, at: .seconds(1))
    playhead.finish()
    playhead.observe(delay: 0, at: .milliseconds(1_500))
    #expect(playhead.played == 800 && playhead.playedAt == .milliseconds(1_048))
  }

  @Test
  mutating func `after a device loss, a written frame is written again or counts as played`() {
    playhead.write(800)
    playhead.observe(delay: 500, at: .seconds(1))
    var other = playhead
    playhead.lose(keeping: 500)
    #expect(playhead.written == 300 && playhead.played == 300)
    other.lose(keeping: 400)
    #expect(other.written == 400 && other.played == 400)
  }

  /// Returns the number of unplayed frames at each time on a device that reports no delay.
  private func unplayed(at milliseconds: [Int]) -> [Int] {
    milliseconds.map {
      var playhead = playhead
      playhead.observe(delay: 0, at: .milliseconds($0))
      return playhead.unplayed
    }
  }

  @Test mutating func `the playhead never advances faster than the device's rate`() {
    playhead.write(600)
    playhead.see(room: 200, at: .seconds(1))
    playhead.write(200)
    #expect(unplayed(at: [1_000, 1_025, 1_099, 1_100, 2_000]) == [800, 600, 8, 0, 0])
  }

  @Test
  mutating func `frames beyond the device's buffer count as played as soon as they are accepted`() {
    playhead.see(room: 800, at: .zero)
    #expect(unplayed(at: [0]) == [0])
    playhead.write(5_000)
    #expect(unplayed(at: [0]) == [800])
  }

  @Test mutating func `an emptied device has no unplayed frames`() {
    playhead.write(800)
    playhead.see(room: 0, at: .zero)
    playhead.empty()
    #expect(unplayed(at: [0]) == [0])
  }
}
