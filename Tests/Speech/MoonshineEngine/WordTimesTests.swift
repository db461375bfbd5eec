import AudioCore
import SpeechEngine
import Testing

@testable import MoonshineEngine

@Suite struct WordTimesTests {
  /// - Parameters:
  ///   - places: the measured positions of the words.
  ///   - voice: the range of the sound, in steps of 160 frames.
  private func frames(_ places: [Range<Int>?], voice: Range<Int> = 0..<100) -> [Range<Int>] {
    var span = VoicedSpan()
    for step in 0..<100 {
      span.add([Float](repeating: voice.contains(step) ? 0.5 : 0, count: 160))
    }
    let words = places.map { _ in DecodedWord(text: "word", confidence: 0.5) }
    let measured = places.map { place in
      place.map { FrameCount($0.lowerBound * 160)..<FrameCount($0.upperBound * 160) }
    }
    return words.placed(at: measured, in: span).map {
      ($0.frames.lowerBound.rawValue / 160)..<($0.frames.upperBound.rawValue / 160)
    }
  }

  @Test func `words without a position share the gap between their neighbors`() {
    #expect(frames([0..<2, nil, nil, 8..<100]) == [0..<2, 2..<5, 5..<8, 8..<100])
    #expect(frames([nil, 9..<95, nil]) == [0..<9, 9..<95, 95..<100])
    #expect(frames([0..<30, nil, 30..<95]) == [0..<30, 30..<30, 30..<100])
    #expect(frames([nil, nil]) == [0..<50, 50..<100])
    #expect(frames([]).isEmpty)
  }

  @Test func `a word without a measured position fills the sound between its neighbors`() {
    #expect(frames([0..<20, nil, 80..<100], voice: 40..<100) == [0..<20, 40..<80, 80..<100])
    #expect(frames([0..<20, nil, 60..<100]) == [0..<20, 20..<60, 60..<100])
  }

  @Test func `the first word begins with the voice, and the last word ends with the voice`() {
    #expect(frames([0..<30, 30..<90], voice: 10..<80) == [10..<30, 30..<80])
    #expect(frames([20..<30, 30..<70], voice: 10..<80) == [10..<30, 30..<80])
    #expect(frames([45..<60], voice: 10..<99) == [15..<90])
  }
}
