import AudioCore
import Testing

@testable import SpeechClientLive

/// Tests how the utterances of a file are joined before they are decoded; times are in tenths of a
/// second.
@Suite struct UtteranceJoinerTests {
  private typealias Action = UtteranceFinder.Action

  private func frames(_ tenths: Int) -> FrameCount { FrameCount(tenths * 1600) }

  /// Returns the finder's actions for sounds in these ranges.
  ///
  /// Each utterance has 0.3 s of audio before its sound and 0.2 s after it.
  private func actions(_ sounds: [Range<Int>]) -> [Action] {
    sounds.flatMap { sound in
      [
        .begin(at: frames(sound.lowerBound - 3), sound: frames(sound.lowerBound)),
        .audio([Float](repeating: 0, count: (sound.count + 5) * 1600)),
        .end(silence: frames(2), certainty: 0.9),
      ]
    }
  }

  /// Returns where the sounds of each joined utterance begin, in tenths of a second.
  private func joined(_ sounds: [Range<Int>], limit: Duration = .seconds(10)) -> [[Int]] {
    var joiner = UtteranceJoiner(limit: limit)
    let joined = actions(sounds).flatMap { joiner.add($0) } + joiner.flush()
    #expect(joiner.isEmpty)
    return joined.reduce(into: []) { utterances, action in
      switch action {
      case .begin(_, let sound): utterances.append([sound.rawValue / 1600])
      case .resume(_, _, _, let sound):
        utterances[utterances.count - 1].append(sound.rawValue / 1600)
      default: break
      }
    }
  }

  @Test
  func `neighboring utterances are joined up to the limit, without the middle of a long pause`() {
    var joiner = UtteranceJoiner(limit: .seconds(10))
    let joined = actions([10..<20, 30..<40]).flatMap { joiner.add($0) } + joiner.flush()
    let audio = Action.audio([Float](repeating: 0, count: 15 * 1600))
    #expect(
      joined == [
        .begin(at: frames(7), sound: frames(10)), audio,
        .resume(after: frames(2), certainty: 0.9, at: frames(27), sound: frames(30)), audio,
        .end(silence: frames(2), certainty: 0.9),
      ])
  }

  @Test func `waiting utterances that exceed the limit are divided at their longest pause`() {
    let sounds = [10..<30, 36..<56, 68..<88, 94..<114, 121..<141]
    #expect(joined(sounds) == [[10, 36], [68, 94, 121]])
  }

  @Test func `waiting utterances are divided at the last of several equally long pauses`() {
    #expect(joined([10..<40, 46..<76, 82..<112]) == [[10, 46], [82]])
  }

  @Test func `an utterance longer than the limit is neither joined nor divided`() {
    #expect(joined([10..<30, 36..<156, 162..<182]) == [[10], [36], [162]])
  }

  @Test func `utterances are not joined across a pause longer than the maximum`() {
    let pause = UtteranceJoiner.longestPause.rawValue / 1600
    #expect(joined([10..<20, 20 + pause..<60]) == [[10, 20 + pause]])
    #expect(joined([10..<20, 21 + pause..<60]) == [[10], [21 + pause]])
  }

  @Test func `an utterance waits for the next utterance for at most the maximum pause`() {
    var joiner = UtteranceJoiner(limit: .seconds(10))
    for action in actions([10..<20]) { #expect(joiner.add(action).isEmpty) }
    let last = frames(20) + UtteranceJoiner.longestPause
    #expect(joiner.pass(to: last).isEmpty)
    #expect(joiner.pass(to: last + 1).count == 3 && joiner.isEmpty)
  }
}
