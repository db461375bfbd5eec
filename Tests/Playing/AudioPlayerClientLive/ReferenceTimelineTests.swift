import AudioCore
import Testing

@testable import AudioPlayerClientLive

/// The audio that a player played at a given time of a capture.
@Suite struct ReferenceTimelineTests {
  private static let rate = SampleRate(hertz: 8_000)
  private let start = ContinuousClock.now
  private let blocks = BlockList()

  /// The blocks that a player has written; a timeline reads each once.
  private final class BlockList: @unchecked Sendable {
    // `@unchecked Sendable` is right because a test uses the list on one thread.
    var blocks: [AudioBuffer] = []

    func read() -> [AudioBuffer] {
      defer { blocks = [] }
      return blocks
    }
  }

  private var timeline: ReferenceTimeline {
    let blocks = blocks
    return ReferenceTimeline(at: Self.rate) { blocks.read() }
  }

  /// Writes a block that begins to play at `seconds`; each sample is its frame's index.
  private func play(_ frames: Range<Int>, at seconds: Double) {
    let format = AudioFormat(sampleRate: Self.rate, channelCount: 1)
    var block = AudioBuffer(
      format: format, samples: frames.map(Float.init), firstFrame: FrameCount(frames.lowerBound))
    block.hostTime = start + .seconds(seconds)
    blocks.blocks.append(block)
  }

  /// Returns the first and the last of the 80 frames that were played from `seconds` on.
  private func ends(
    _ timeline: inout ReferenceTimeline, at seconds: Double
  ) throws -> [Float] {
    try timeline.update()
    let frames = timeline.frames(at: start + .seconds(seconds - 0.010), 80)
    return [frames.first ?? -1, frames.last ?? -1]
  }

  @Test func `frames(at:) returns audio played 10 ms later, or silence if there is none`() throws {
    var timeline = timeline
    #expect(try ends(&timeline, at: 0) == [0, 0])
    play(0..<800, at: 0.5)
    #expect(try ends(&timeline, at: 0.5) == [0, 79])
    #expect(try ends(&timeline, at: 0.51) == [80, 159])
    #expect(try ends(&timeline, at: 0.4) == [0, 0])
    #expect(try ends(&timeline, at: 0.595) == [760, 0])
    #expect(timeline.isIncomplete(at: start + .seconds(0.585), 80))
    #expect(!timeline.isIncomplete(at: start + .seconds(0.5), 80))
    #expect(!timeline.isIncomplete(at: start + .seconds(2), 80))
  }

  @Test func `audio played after a pause or a reopening is found at its actual time`() throws {
    var timeline = timeline
    play(0..<800, at: 0)
    #expect(try ends(&timeline, at: 0.05) == [400, 479])
    play(800..<1_600, at: 3)
    #expect(try ends(&timeline, at: 2.95) == [0, 0])
    #expect(try ends(&timeline, at: 3.01) == [880, 959])
    // The device was opened again, and counts from 0.
    play(0..<800, at: 5)
    #expect(try ends(&timeline, at: 5.02) == [160, 239])
  }

  @Test func `audio before a short pause keeps its time, and the pause is silent`() throws {
    var timeline = timeline
    play(0..<800, at: 0)
    play(800..<1_600, at: 0.5)
    #expect(try ends(&timeline, at: 0.05) == [400, 479])
    #expect(try ends(&timeline, at: 0.3) == [0, 0])
    #expect(try ends(&timeline, at: 0.510_05) == [880, 959])
  }

  @Test func `after a gap in the capture, the reference is aligned at once`() throws {
    var timeline = timeline
    play(0..<800, at: 0)
    #expect(try ends(&timeline, at: 0.05) == [400, 479])
    #expect(try ends(&timeline, at: 0.072_05) == [480, 559])
    timeline.restart()
    #expect(try ends(&timeline, at: 0.072_05) == [576, 655])
  }

  @Test func `at most eight seconds of unread audio are kept`() throws {
    var timeline = timeline
    for second in 0..<60 {
      play(second * 8_000..<second * 8_000 + 8_000, at: Double(second))
      try timeline.update()
      #expect(timeline.samples.count <= 8 * 8_000)
    }
    #expect(try ends(&timeline, at: 59.500_05) == [476_000, 476_079])
  }

  @Test func `if times have jitter, at most one frame is skipped or repeated between reads`() throws
  {
    var timeline = timeline
    var next: Float = 0
    for block in 0..<200 {
      let jitter = [0.002, -0.003, 0.001, 0][block % 4]
      play(block * 80 + 800..<block * 80 + 880, at: 0.1 + Double(block) * 0.01 + jitter)
      guard block > 20 else { continue }
      let ends = try ends(&timeline, at: Double(block) * 0.01 - jitter)
      #expect(ends[1] == ends[0] + 79)
      if next > 0 { #expect(abs(ends[0] - next) <= 1) }
      next = ends[1] + 1
    }
  }

  @Test(arguments: [-500.0, 500])
  func `if the capture clock is off by 500 ppm, single-frame steps keep the error below 2 ms`(
    partsPerMillion: Double
  ) throws {
    var timeline = timeline
    var next: Float = 0
    for block in 0..<6_000 {
      play(block * 80..<block * 80 + 80, at: Double(block) * 0.01)
      // The time 50 ms ago, by the capture's clock.
      let time = Double(block) * 0.01 * (1 + partsPerMillion / 1_000_000) - 0.05
      guard block > 10, time < Double(block) * 0.01 - 0.02 else { continue }
      let ends = try ends(&timeline, at: time)
      #expect(abs(Double(ends[0]) - time * 8_000) < 16)
      if next > 0 { #expect(abs(ends[0] - next) <= 1) }
      next = ends[1] + 1
    }
  }
}
