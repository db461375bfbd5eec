import SpeechClient
import Testing

@Suite struct SpeechRecognitionMetadataTests {
  private func metadata(
    _ words: (String, start: Int, length: Int)...
  ) -> SpeechRecognitionMetadata? {
    SpeechRecognitionMetadata(
      Transcription(
        segments: words.map {
          TranscriptionSegment(
            substring: $0.0, timestamp: .milliseconds($0.start), duration: .milliseconds($0.length))
        }))
  }

  @Test func `rate, pauses, beginning and length follow from the places of the words`() {
    #expect(
      metadata(("go", 1000, 200), ("forward", 1200, 300), ("now", 1700, 300), ("please", 2400, 100))
        == SpeechRecognitionMetadata(
          speakingRate: 160, averagePauseDuration: .milliseconds(300),
          speechStartTimestamp: .seconds(1), speechDuration: .milliseconds(1500)))
  }

  @Test func `a gap between words that is shorter than 50 ms is no pause`() {
    #expect(metadata(("go", 0, 451), ("on", 500, 500))?.averagePauseDuration == .zero)
  }

  @Test func `a phrase counts with all of its words`() {
    #expect(metadata(("go forward now", 0, 1500))?.speakingRate == 120)
  }

  @Test func `without words there is none, and without length no rate`() {
    #expect(metadata() == nil)
    #expect(metadata(("go", 0, 0))?.speakingRate == 0)
  }
}
