import AudioCore
import AudioPlayerClient
import Testing

@testable import AudioPlayerClientLive

/// The voice has 8,000 frames a second.
@Suite struct VoiceTimelineTests {
  var timeline = VoiceTimeline(rate: 8_000)

  private func position(_ item: Int, _ frame: FrameCount, rate: SampleRate = 8_000) -> ItemPosition
  {
    ItemPosition(item: item, frame: frame, rate: rate, length: .seconds(1))
  }

  private func progress(_ played: Int, _ item: Int, _ frame: FrameCount) -> PlaybackProgress {
    PlaybackProgress(
      played: FrameCount(played).duration(at: 8_000), item: item, position: frame,
      time: frame.duration(at: 8_000), length: .seconds(1))
  }

  @Test
  mutating func `progress contains a frame of the current item, counted at the item's own rate`() {
    timeline.begin(position(0, 100), at: 0)
    timeline.begin(position(1, 0, rate: 16_000), at: 1_000, .advanced(.pending))
    #expect(timeline.progress(500).item == 0)
    #expect(timeline.progress(500).position == 600)
    #expect(timeline.progress(1_500).item == 1)
    #expect(timeline.progress(1_500).position == 1_000)
    #expect(timeline.progress(1_500).time == .microseconds(62_500))
    #expect(timeline.progress(1_500).played == .microseconds(187_500))
  }

  @Test mutating func `corrections of a position within 10 ms count as one`() {
    timeline.begin(position(0, 0), at: 0)
    timeline.correct(position(0, 500), at: 79)
    #expect(timeline.progress(79).position == 79)
    timeline.correct(position(0, 500), at: 80)
    #expect(timeline.progress(81).position == 501)
  }

  @Test mutating func `a pause keeps its position if the audio after it is skipped`() {
    timeline.begin(position(0, 0), at: 0)
    timeline.settle(isPaused: true, at: 400)
    timeline.skip(at: 400, to: position(0, 5_000))
    #expect(timeline.pass(400) == [.paused(progress(400, 0, 400))])
    #expect(timeline.progress(401).position == 5_001)
  }

  @Test mutating func `an event is returned once, with the progress at its frame`() {
    timeline.begin(position(0, 0), at: 0)
    timeline.begin(position(1, 7), at: 1_000, .advanced(.pending))
    timeline.add(.paused(.pending), at: 400)
    #expect(timeline.pass(399).isEmpty)
    #expect(
      timeline.pass(2_000) == [.paused(progress(400, 0, 400)), .advanced(progress(1_000, 1, 7))])
    #expect(timeline.pass(2_000).isEmpty)
  }

  @Test mutating func `repeated reports of a pause and of its end add one event each`() {
    for isPaused in [false, true, true, false, false] {
      timeline.settle(isPaused: isPaused, at: 400)
    }
    #expect(timeline.pass(400).count == 2)
  }

  @Test
  mutating func `truncating a timeline removes later events, but not a pause at the same frame`() {
    timeline.begin(position(0, 0), at: 0)
    timeline.begin(position(1, 0), at: 1_000, .advanced(.pending))
    timeline.add(.paused(.pending), at: 500)
    timeline.cut(at: 500)
    timeline.begin(position(2, 33), at: 500, .sought(.pending))
    // The pause came first, so it is reported with the position before the seek.
    #expect(timeline.pass(500) == [.paused(progress(500, 0, 500)), .sought(progress(500, 2, 33))])
    #expect(timeline.progress(501).item == 2)
    #expect(timeline.progress(501).position == 34)
  }

  @Test
  mutating func `short repetitions are merged, and positions stay within the repeated range`() {
    timeline.begin(position(0, 20), at: 0)
    for count in 1..<1_000 {
      timeline.begin(position(0, 20), at: count * 10, .looped(.pending, count: count))
    }
    #expect((0..<800).allSatisfy { timeline.progress($0).position == FrameCount(20 + $0 % 10) })
    #expect(timeline.pass(10_000).count <= 25)
  }

  private func position(round: Int) -> ItemPosition {
    var position = position(0, 0)
    position.round = round
    return position
  }

  @Test
  mutating func `short rounds of one item are merged, but positions keep their round numbers`() {
    timeline.begin(position(round: 0), at: 0)
    for round in 1..<1_000 {
      timeline.begin(position(round: round), at: round * 10, .advanced(.pending))
    }
    let isInItsRound = (0..<9_990).allSatisfy {
      timeline.position($0).round == $0 / 10
        && timeline.progress($0).position == FrameCount($0 % 10)
    }
    #expect(isInItsRound)
    #expect(timeline.pass(10_000).count <= 25)
  }

  @Test mutating func `merged repetitions of a short item keep the number of their round`() {
    timeline.begin(position(round: 0), at: 0)
    for count in 1..<200 {
      let event =
        count % 4 == 0 ? PlaybackEvent.advanced(.pending) : .looped(.pending, count: count % 4)
      timeline.begin(position(round: count / 4), at: count * 10, event)
    }
    #expect((0..<1_990).allSatisfy { timeline.position($0).round == $0 / 40 })
  }

  @Test
  mutating func `different short items are not merged, and a skip to a short item is reported`() {
    for item in 0..<5 { timeline.begin(position(item, 0), at: item * 10, .advanced(.pending)) }
    #expect(timeline.pass(40).count == 5)
    timeline.cut(at: 45)
    timeline.begin(position(4, 0), at: 45, .advanced(.pending))
    #expect(timeline.pass(45) == [.advanced(progress(45, 4, 0))])
  }

  @Test mutating func `ending a voice moves events with a later frame to its end`() {
    timeline.begin(position(0, 0), at: 0)
    timeline.add(.shortfall(item: 0, announced: .seconds(2), decoded: .seconds(1)), at: 8_001)
    timeline.end(at: 8_000)
    #expect(timeline.pass(8_000).count == 1)
  }

  @Test func `a timeline without events starts at the first frame of the first item`() {
    #expect(timeline.progress(80) == PlaybackProgress(played: .milliseconds(10)))
  }
}
