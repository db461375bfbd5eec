import SpeechClient
import Testing

@Suite struct SpeechRecognitionResultTests {
  private func transcription(_ text: String) -> Transcription {
    Transcription(
      segments: text.split(separator: " ").enumerated().map { index, word in
        TranscriptionSegment(
          substring: String(word), timestamp: .seconds(index), duration: .milliseconds(500))
      })
  }

  @Test func `a partial result consists of a stable prefix and a volatile tail`() {
    var result = SpeechRecognitionResult(
      utterance: 0, bestTranscription: transcription("go for word"), isFinal: false,
      stableSegmentCount: 1)
    #expect(result.stablePrefix.formattedString == "go")
    #expect(result.volatileTail.formattedString == "for word")
    result.stableSegmentCount = 9
    #expect(result.stableSegmentCount == 3)
    #expect(result.volatileTail.segments.isEmpty)
  }

  @Test func `a result created from a text has consecutive words`() {
    let final = SpeechRecognitionResult(
      " ten\nmeters ", isFinal: true, utterance: 3, start: .seconds(2))
    #expect(final.utterance == 3 && final.isFinal)
    #expect(final.bestTranscription.formattedString == "ten meters")
    let starts = final.bestTranscription.segments.map(\.timestamp)
    #expect(starts == [.seconds(2), .milliseconds(2_400)])
    #expect(final.speechRecognitionMetadata?.speakingRate == 150)
    let partial = SpeechRecognitionResult("ten", isFinal: false)
    #expect(partial.speechRecognitionMetadata == nil && partial.volatileTail.segments.count == 1)
    #expect(SpeechRecognitionResult("", isFinal: true).bestTranscription.segments.isEmpty)
  }

  @Test func `all words of a final result are stable`() {
    var result = SpeechRecognitionResult(
      utterance: 0, bestTranscription: transcription("go on"), isFinal: false, stableSegmentCount: 1
    )
    result.isFinal = true
    #expect(result.stableSegmentCount == 2 && result.volatileTail.segments.isEmpty)
    #expect(
      result
        == SpeechRecognitionResult(
          utterance: 0, bestTranscription: transcription("go on"), isFinal: true))
  }

  @Test func `the best transcription is the first transcription`() {
    var result = SpeechRecognitionResult(
      utterance: 0, bestTranscription: transcription("a"), alternatives: [transcription("b")],
      isFinal: true)
    #expect(result.transcriptions == [transcription("a"), transcription("b")])
    result.bestTranscription = transcription("c")
    #expect(result.transcriptions == [transcription("c"), transcription("b")])
    result.transcriptions = []
    #expect(result.bestTranscription.segments.isEmpty)
  }
}
