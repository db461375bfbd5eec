import AudioCore
import SpeechEngine

/// The key phrases that were heard in an utterance, and what PocketSphinx has been given since the
/// last of them.
///
/// After each phrase PocketSphinx begins anew behind it, or it would tell the same one again.
struct PhraseSpotting {
  typealias Word = SpeechHypothesis.Word

  /// How much is heard after a phrase before its place counts: PocketSphinx still moves its end.
  static let settling = FrameCount(.milliseconds(300), at: .speech)

  /// The phrases in order, on the time-line of the utterance.
  private(set) var phrases: [Word] = []

  private var begin: FrameCount = 0
  private var samples: [Int16] = []

  /// Notes what PocketSphinx was given.
  mutating func heard(_ more: [Int16]) {
    samples += more
  }

  /// Takes the first phrase that PocketSphinx tells and has heard so much more after; what it is to
  /// hear anew, nil where there is none.
  ///
  /// Of phrases that overlap the one that began first counts.
  mutating func take(_ told: [Word], settling: FrameCount) -> [Int16]? {
    let settled = told.filter { $0.frames.upperBound + settling <= FrameCount(samples.count) }
    let candidates = settling == 0 ? told : settled
    guard let first = candidates.min(by: { $0.frames.lowerBound < $1.frames.lowerBound }) else {
      return nil
    }
    let length = min(first.frames.upperBound, FrameCount(samples.count))
    let frames = (begin + first.frames.lowerBound)..<(begin + max(length, first.frames.lowerBound))
    phrases.append(Word(first.text, frames: frames))
    begin = begin + length
    samples.removeFirst(length.rawValue)
    defer { samples = [] }
    return samples
  }
}
