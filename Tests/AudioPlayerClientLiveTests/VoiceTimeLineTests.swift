import AudioCore
import AudioPlayerClient
import Testing

@testable import AudioPlayerClientLive

/// The voice has 8,000 frames a second.
@Suite struct VoiceTimeLineTests {
  var line = VoiceTimeLine(rate: 8_000)

  private func place(_ item: Int, _ frame: FrameCount, rate: SampleRate = 8_000) -> ItemPlace {
    ItemPlace(item: item, frame: frame, rate: rate, length: .seconds(1))
  }

  @Test mutating func `what is heard is the frame of the item that lies there, in its own rate`() {
    line.begin(place(0, 100), at: 0)
    line.begin(place(1, 0, rate: 16_000), at: 1_000, .advanced)
    #expect(line.progress(500).item == 0)
    #expect(line.progress(500).position == 600)
    #expect(line.progress(1_500).item == 1)
    #expect(line.progress(1_500).position == 1_000)
    #expect(line.progress(1_500).time == .microseconds(62_500))
    #expect(line.progress(1_500).heard == .microseconds(187_500))
  }

  @Test mutating func `a note is passed once, where it lies`() {
    line.begin(place(0, 0), at: 0)
    line.begin(place(1, 7), at: 1_000, .advanced)
    line.note(.paused, at: 400)
    #expect(line.pass(399).isEmpty)
    let passed = line.pass(2_000)
    #expect(passed.map(\.note) == [.paused, .advanced])
    #expect(passed.map(\.progress.position) == [400, 7])
    #expect(line.pass(2_000).isEmpty)
  }

  @Test mutating func `what is cut off is not heard, but a pause stays`() {
    line.begin(place(0, 0), at: 0)
    line.begin(place(1, 0), at: 1_000, .advanced)
    line.note(.paused, at: 500)
    line.cut(at: 500)
    line.begin(place(2, 33), at: 500, .sought)
    let passed = line.pass(500)
    #expect(passed.map(\.note) == [.paused, .sought])
    // The pause was before what was gone to.
    #expect(passed.map(\.progress.item) == [0, 2])
    #expect(passed.map(\.progress.position) == [500, 33])
    #expect(line.progress(501).item == 2)
    #expect(line.progress(501).position == 34)
  }

  @Test mutating func `short repetitions are merged, and their place stays within them`() {
    line.begin(place(0, 20), at: 0)
    for count in 1..<1_000 { line.begin(place(0, 20), at: count * 10, .looped(count: count)) }
    #expect((0..<800).allSatisfy { line.progress($0).position == FrameCount(20 + $0 % 10) })
    #expect(line.pass(10_000).count <= 25)
  }

  private func place(round: Int) -> ItemPlace {
    var place = place(0, 0)
    place.round = round
    return place
  }

  @Test mutating func `short rounds of one item are merged, and each place is in its round`() {
    line.begin(place(round: 0), at: 0)
    for round in 1..<1_000 { line.begin(place(round: round), at: round * 10, .advanced) }
    let isInItsRound = (0..<9_990).allSatisfy {
      line.place($0).round == $0 / 10 && line.progress($0).position == FrameCount($0 % 10)
    }
    #expect(isInItsRound)
    #expect(line.pass(10_000).count <= 25)
  }

  @Test mutating func `an item that is short and repeated is in its round, too`() {
    line.begin(place(round: 0), at: 0)
    for count in 1..<200 {
      let note = count % 4 == 0 ? VoiceNote.advanced : .looped(count: count % 4)
      line.begin(place(round: count / 4), at: count * 10, note)
    }
    #expect((0..<1_990).allSatisfy { line.place($0).round == $0 / 40 })
  }

  @Test mutating func `short items that differ are all told, and so is one that was skipped to`() {
    for item in 0..<5 { line.begin(place(item, 0), at: item * 10, .advanced) }
    #expect(line.pass(40).count == 5)
    line.cut(at: 45)
    line.begin(place(4, 0), at: 45, .advanced)
    #expect(line.pass(45).map(\.note) == [.advanced])
  }

  @Test mutating func `what was reckoned to lie behind the end lies there`() {
    line.begin(place(0, 0), at: 0)
    line.note(.shortfall(item: 0, announced: .seconds(2), decoded: .seconds(1)), at: 8_001)
    line.end(at: 8_000)
    #expect(line.pass(8_000).count == 1)
  }

  @Test func `without any place it is the first frame of the first item`() {
    #expect(line.progress(80) == PlaybackProgress(heard: .milliseconds(10)))
  }
}
