import AudioCore
import SpeechEngine
import Testing

@testable import SpeechClientLive

/// Divides the words of joined speech into results; times are in tenths of a second.
@Suite struct UtteranceTests {
  private typealias Word = SpeechHypothesis.Word

  /// Returns a joined utterance with sounds from 1 s to 2 s and from 3.5 s to 5 s.
  ///
  /// With 0.3 s of audio before each sound and 0.2 s after it, the engine gets 1.5 s and 2 s.
  private func joined(pause: Duration? = .milliseconds(600)) -> Utterance {
    var utterance = Utterance(start: frame(7), sound: frame(10), pause: pause)
    utterance.add([Float](repeating: 0, count: 15 * 1600))
    utterance.endSound(after: frame(2), certainty: 0.9)
    utterance.resume(at: frame(32), sound: frame(35))
    utterance.add([Float](repeating: 0, count: 20 * 1600))
    utterance.endSound(after: frame(2), certainty: 0.9)
    return utterance
  }

  private func frame(_ tenths: Int) -> FrameCount { FrameCount(tenths * 1600) }

  private func words(_ places: [(String, Range<Int>)]) -> [Word] {
    places.map { Word($0, frames: frame($1.lowerBound)..<frame($1.upperBound)) }
  }

  /// Returns the texts of each part with their times in the stream.
  private func shown(_ parts: [Utterance.Part]) -> [[String]] {
    parts.map { part in
      part.hypothesis.words.map { word in
        let begin = (part.utterance.start + word.frames.lowerBound).rawValue / 1600
        let end = (part.utterance.start + word.frames.upperBound).rawValue / 1600
        return "\(word.text) \(begin)-\(end)"
      }
    }
  }

  @Test func `measured word times become stream times, and a pause begins a new part`() {
    let hypothesis = SpeechHypothesis(
      words: words([("ask", 3..<8), ("not", 8..<13), ("what", 18..<25), ("your", 25..<33)]))
    let parts = joined().parts(of: hypothesis)
    #expect(shown(parts) == [["ask 10-15", "not 15-20"], ["what 35-42", "your 42-50"]])
    #expect(
      parts.map { $0.utterance.sound } == [frame(10)..<frame(20), frame(35)..<frame(50)])
  }

  @Test
  func `if a part's words lie after the last sound, its sound is empty`() {
    let hypothesis = SpeechHypothesis(words: words([("Go.", 3..<8), ("Oh.", 34..<35)]))
    let parts = joined().parts(of: hypothesis)
    #expect(shown(parts) == [["Go. 10-15"], ["Oh. 51-52"]])
    #expect(
      parts.map { $0.utterance.sound } == [frame(10)..<frame(15), frame(51)..<frame(51)])
  }

  @Test func `sounds without words are found, unless the word times are estimated`() {
    var hypothesis = SpeechHypothesis(words: words([("ask", 3..<8), ("not", 8..<13)]))
    #expect(joined().wordlessSounds(in: hypothesis) == [frame(35)..<frame(50)])
    hypothesis.hasEstimatedTimes = true
    #expect(joined().wordlessSounds(in: hypothesis).isEmpty)
    #expect(joined().wordlessSounds(in: SpeechHypothesis()).isEmpty)
    hypothesis = SpeechHypothesis(words: words([("ask", 3..<8), ("what", 18..<25)]))
    #expect(joined().wordlessSounds(in: hypothesis).isEmpty)
  }

  @Test func `each part has the certainty of its own sounds`() {
    var utterance = Utterance(start: 0, sound: 0, pause: .milliseconds(600))
    for (start, certainty) in [(0, 0.99), (20, 0.6)] {
      if start > 0 { utterance.resume(at: frame(start), sound: frame(start)) }
      utterance.add([Float](repeating: 0, count: 10 * 1600))
      utterance.endSound(after: 0, certainty: certainty)
    }
    let hypothesis = SpeechHypothesis(words: words([("Go.", 2..<8), ("Oh.", 12..<14)]))
    let parts = utterance.parts(of: hypothesis)
    #expect(parts.map { $0.utterance.certainty } == [0.99, 0.6])
    #expect(utterance.certainty == 0.99)
  }

  @Test func `a part ends after a sentence, but not after an abbreviation`() {
    let hypothesis = SpeechHypothesis(
      words: words([
        ("Ask", 18..<20), ("Mr.", 20..<22), ("Go.", 22..<25), ("What", 25..<30), ("now?", 30..<33),
      ]))
    let parts = joined().parts(of: hypothesis)
    #expect(
      parts.map { $0.hypothesis.words.map(\.text) } == [["Ask", "Mr.", "Go."], ["What", "now?"]])
    #expect(parts.map { $0.utterance.start } == [frame(7), frame(42)])
  }

  @Test func `words with estimated times are spread over the sounds, not over the silence`() {
    var hypothesis = SpeechHypothesis(
      words: words([("1", 0..<9), ("2", 9..<18), ("3", 18..<27), ("4", 27..<30), ("5", 30..<35)]))
    hypothesis.hasEstimatedTimes = true
    let parts = joined().parts(of: hypothesis)
    #expect(shown(parts) == [["1 10-15", "2 15-20"], ["3 35-40", "4 40-45", "5 45-50"]])
  }

  @Test func `a word across a removed pause belongs to the part that contains the word's middle`() {
    let hypothesis = SpeechHypothesis(words: words([("so", 12..<20), ("on", 20..<33)]))
    let parts = joined().parts(of: hypothesis)
    #expect(shown(parts) == [["so 32-37", "on 37-50"]])
  }

  @Test
  func `alternatives are divided like the best words, without duplicates and empty alternatives`() {
    let best = words([("go", 3..<8), ("on", 8..<13), ("ten", 18..<25), ("more", 25..<33)])
    let hypothesis = SpeechHypothesis(
      words: best,
      alternatives: [
        words([("go", 3..<8), ("on", 8..<13), ("then", 18..<25), ("more", 25..<33)]),
        words([("goon", 3..<13), ("ten", 18..<25), ("more", 25..<33)]),
        words([("go", 3..<8), ("on", 8..<13), ("then", 18..<25), ("more", 26..<33)]),
      ])
    let parts = joined().parts(of: hypothesis)
    #expect(
      parts.map { $0.hypothesis.alternatives.map { $0.map(\.text) } } == [
        [["goon"]], [["then", "more"]],
      ])
  }

  @Test func `an utterance that has no words, or was not joined, is not divided`() {
    let none = joined().parts(of: SpeechHypothesis())
    #expect(none.map { $0.utterance.sound } == [frame(10)..<frame(50)])
    let hypothesis = SpeechHypothesis(words: words([("Go.", 3..<13), ("On.", 25..<33)]))
    let whole = joined(pause: nil).parts(of: hypothesis)
    #expect(whole.map { $0.hypothesis } == [hypothesis])
  }
}
