import AudioCore
import Testing

@testable import ALSASoundCard

@Suite struct LossEstimateTests {
  let start = ContinuousClock().systemEpoch

  @Test func `after an xrun, a playback loses the frames due since its buffer ran empty`() {
    var clock = LossEstimate(direction: .playback, rate: 1_000)
    clock.observe(held: 50, at: start)
    clock.transferred(30)
    #expect(clock.lost(at: start + .milliseconds(200)) == 120)
  }

  @Test func `a playback that still has buffered frames has lost no frames`() {
    var clock = LossEstimate(direction: .playback, rate: 1_000)
    clock.observe(held: 500, at: start)
    #expect(clock.lost(at: start + .milliseconds(200)) == 0)
  }

  @Test func `after an xrun, a capture loses its buffered frames and those of the elapsed time`() {
    var clock = LossEstimate(direction: .capture, rate: 1_000)
    clock.observe(held: 80, at: start)
    clock.transferred(50)
    #expect(clock.lost(at: start + .milliseconds(200)) == 230)
  }

  @Test func `a device that keeps its buffered frames loses only the frames of the elapsed time`() {
    for direction in [AudioDevice.Direction.playback, .capture] {
      var clock = LossEstimate(direction: direction, rate: 1_000)
      clock.observe(held: 80, at: start)
      #expect(clock.lost(at: start + .milliseconds(200), isEmptied: false) == 200)
    }
  }

  @Test func `a device that is not running loses no frames`() {
    var clock = LossEstimate(direction: .capture, rate: 1_000)
    #expect(clock.lost(at: start + .seconds(1)) == 0)
    clock.observe(held: 10, at: start)
    clock.stopped()
    #expect(clock.lost(at: start + .seconds(1)) == 0)
  }

  @Test func `the time before the start does not count as a loss`() {
    var clock = LossEstimate(direction: .playback, rate: 1_000)
    clock.transferred(100)
    clock.restarted(at: start + .seconds(5))
    #expect(clock.lost(at: start + .milliseconds(5_150)) == 50)
  }

  @Test func `all frames of an hours-long system suspend count as lost`() {
    var clock = LossEstimate(direction: .capture, rate: 192_000)
    clock.observe(held: 80, at: start)
    let night = Duration.seconds(28_800)
    let missed: FrameCount = 5_529_600_080
    #expect(clock.lost(at: start + night) == missed)
  }

  // MARK: Discarded frames

  private static let configuration = PCMConfiguration(
    device: "test", format: AudioFormat(sampleRate: 1_000, channelCount: 1),
    sampleFormat: .float32, period: 25, buffer: 100)
  private let awake = SuspendingClock().systemEpoch

  /// Returns the number of frames that a playback with 100 buffered frames discards if the buffer
  /// is lost after this time.
  private func discarded(
    after time: Duration, isUnderrun: Bool, direction: AudioDevice.Direction = .playback
  ) -> FrameCount {
    var clock = LossEstimate(direction: direction, rate: 1_000, Self.configuration)
    clock.observe(held: 40, at: start, awake: awake)
    clock.transferred(60)
    return clock.discarded(at: awake + time, isUnderrun: isUnderrun)
  }

  @Test func `frames count as discarded if too little time has passed to play them`() {
    #expect(discarded(after: .milliseconds(30), isUnderrun: false) == 70)
    #expect(discarded(after: .milliseconds(200), isUnderrun: false) == 0)
    #expect(discarded(after: .zero, isUnderrun: false, direction: .capture) == 0)
  }

  @Test func `a playback that never started discards all of its frames`() {
    var clock = LossEstimate(direction: .playback, rate: 1_000, Self.configuration)
    clock.transferred(60)
    #expect(clock.discarded(at: awake, isUnderrun: false) == 60)
  }

  @Test
  func `after an underrun, unplayed frames count as discarded only if they exceed the tolerance`() {
    #expect(discarded(after: .milliseconds(30), isUnderrun: true) == 70)
    #expect(discarded(after: .milliseconds(60), isUnderrun: true) == 0)
  }
}
