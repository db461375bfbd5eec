import AudioPlayerClient
import Testing

@testable import AudioPlayerClientLive

@Suite struct RepetitionsTests {
  @Test func `a source is repeated as often as asked`() {
    var repetitions = Repetitions(.times(3))
    var begun: [Bool] = []
    for _ in 0..<3 {
      repetitions.gives()
      begun.append(repetitions.begin())
    }
    #expect(begun == [true, true, false])
  }

  @Test func `a repetition that gave nothing is the last`() {
    var repetitions = Repetitions(.forever)
    repetitions.gives()
    let begun = [repetitions.begin(), repetitions.begin()]
    #expect(begun == [true, false])
  }
}
