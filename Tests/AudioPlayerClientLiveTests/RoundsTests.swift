import AudioPlayerClient
import Testing

@testable import AudioPlayerClientLive

@Suite struct RoundsTests {
  @Test func `as many rounds begin as were asked for, at least one`() {
    for (count, expected) in [(0, 0), (1, 0), (3, 2)] {
      var rounds = Rounds(.times(count))
      var begun = 0
      rounds.gives()
      while rounds.begin() {
        begun += 1
        rounds.gives()
      }
      #expect(begun == expected)
      #expect(rounds.current == expected)
    }
  }

  @Test func `a round that gave nothing is the last`() {
    var rounds = Rounds(.forever)
    rounds.gives()
    let begun = [rounds.begin(), rounds.begin()]
    #expect(begun == [true, false])
  }

  @Test func `nothing follows a round that gave nothing, unless somebody goes there`() {
    var rounds = Rounds(.forever)
    let first = rounds.begin()
    rounds.go(to: 4)
    let second = rounds.begin()
    let third = rounds.begin()
    #expect([first, second, third] == [false, true, false])
    #expect(rounds.current == 5)
  }
}
