import AudioCore
import SpeechClient
import SpeechEngine

extension SpeechModel {
  /// Returns the model of a script.
  static func scripted(_ language: String) -> SpeechModel {
    SpeechModel(language: language, location: "script")
  }

  /// Throws if the model does not support the language; nil and `SpokenLanguage.detected` accept any
  /// language.
  func check(language wanted: String?) throws(SpeechEngineError) {
    guard wanted == SpokenLanguage.detected || LanguageTag.understands(wanted, available: language)
    else {
      throw .languageMissing(wanted: wanted ?? "", available: language)
    }
  }
}

extension [KeyPhrase] {
  /// Returns the phrases in a list of words, in order, each with the indices of its words.
  fileprivate func occurrences(in words: [String]) -> [(text: String, words: Range<Int>)] {
    words.indices.flatMap { index in
      compactMap { phrase in
        let parts = phrase.text.split(separator: " ").map(String.init)
        guard words[index...].starts(with: parts) else { return nil }
        return (phrase.text, index..<index + parts.count)
      }
    }
  }
}

extension SpeechHypothesis {
  /// Returns the key phrases in the hypothesis, each as one word without confidence.
  func phrases(_ wanted: [KeyPhrase]) -> SpeechHypothesis {
    let found = wanted.occurrences(in: words.map(\.text)).map { phrase in
      let spoken = words[phrase.words].map(\.frames)
      return Word(phrase.text, frames: spoken[0].lowerBound..<spoken[spoken.count - 1].upperBound)
    }
    return SpeechHypothesis(words: found)
  }
}

extension SpeechRecognitionResult {
  /// Returns the key phrases in the best transcription, each as one segment without confidence.
  func phrases(_ wanted: [KeyPhrase]) -> SpeechRecognitionResult {
    let words = bestTranscription.segments
    let found = wanted.occurrences(in: words.map(\.substring))
    let segments = found.map { phrase in
      let (first, last) = (words[phrase.words.lowerBound], words[phrase.words.upperBound - 1])
      return TranscriptionSegment(
        substring: phrase.text, timestamp: first.timestamp,
        duration: last.timestamp + last.duration - first.timestamp)
    }
    let transcription = Transcription(segments: segments)
    return SpeechRecognitionResult(
      utterance: utterance, bestTranscription: transcription, isFinal: isFinal,
      stableSegmentCount: found.count { $0.words.upperBound <= stableSegmentCount },
      speechRecognitionMetadata: isFinal ? SpeechRecognitionMetadata(transcription) : nil)
  }
}
