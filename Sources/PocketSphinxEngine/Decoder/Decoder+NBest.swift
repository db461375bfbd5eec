import CPocketSphinx
import SpeechEngine

extension Decoder {
  /// A reading of the whole utterance; of two the one with the higher score is the likelier.
  struct Reading {
    var words: [SpeechHypothesis.Word]
    var score: Int32
  }

  /// How many readings are looked through for different ones: most differ in pauses and in the
  /// variants of a pronunciation alone.
  static let mostReadings = 500

  /// The likeliest readings of the utterance that has ended, each with other words; the
  /// corresponding C functions are `ps_nbest` and its kin.
  func readings(atMost count: Int) -> [Reading] {
    var readings: [Reading] = []
    var texts: Set<[String]> = []
    var looked = 0
    var next = ps_nbest(decoder).flatMap(ps_nbest_next)
    // Walking to the end frees the iterator.
    while let current = next {
      var score: Int32 = 0
      _ = ps_nbest_hyp(current, &score)
      let words = words(from: ps_nbest_seg(current)).map { $0.unsure }
      if !words.isEmpty, texts.insert(words.map(\.text)).inserted {
        readings.append(Reading(words: words, score: score))
      }
      looked += 1
      guard readings.count < count, looked < Self.mostReadings else {
        ps_nbest_free(current)
        break
      }
      next = ps_nbest_next(current)
    }
    return readings
  }
}

extension SpeechHypothesis.Word {
  fileprivate var unsure: Self { Self(text, frames: frames) }
}
