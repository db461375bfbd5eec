import AudioPlayerClient
import Testing

@testable import AudioPlayerClientLive

@Suite struct RepetitionCounterTests {
  @Test func `the requested number of repetitions begin, at least one`() {
    for (count, expected) in [(0, 0), (1, 0), (3, 2)] {
      var rounds = RepetitionCounter(.times(count))
      var begun = 0
      rounds.markAudio()
      while rounds.beginNext() {
        begun += 1
        rounds.markAudio()
      }
      #expect(begun == expected)
      #expect(rounds.current == expected)
    }
  }

  @Test func `a repetition without audio is the last`() {
    var rounds = RepetitionCounter(.forever)
    rounds.markAudio()
    let begun = [rounds.beginNext(), rounds.beginNext()]
    #expect(begun == [true, false])
  }

  @Test func `after a repetition without audio none follows, unless a seek moves there`() {
    var rounds = RepetitionCounter(.forever)
    let first = rounds.beginNext()
    rounds.move(to: 4)
    let second = rounds.beginNext()
    let third = rounds.beginNext()
    #expect([first, second, third] == [false, true, false])
    #expect(rounds.current == 5)
  }
}
