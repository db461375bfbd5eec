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

  @Test func `rate, pauses, start, and duration are computed from the words' timestamps`() {
    #expect(
      metadata(("go", 1000, 200), ("forward", 1200, 300), ("now", 1700, 300), ("please", 2400, 100))
        == SpeechRecognitionMetadata(
          speakingRate: 160, averagePauseDuration: .milliseconds(300),
          speechStartTimestamp: .seconds(1), speechDuration: .milliseconds(1500)))
  }

  @Test func `a gap of less than 50 ms between two words is not a pause`() {
    #expect(metadata(("go", 0, 451), ("on", 500, 500))?.averagePauseDuration == .zero)
  }

  @Test func `each word of a key phrase counts toward the speaking rate`() {
    #expect(metadata(("go forward now", 0, 1500))?.speakingRate == 120)
  }

  @Test func `there is no metadata without words, and no rate without duration`() {
    #expect(metadata() == nil)
    #expect(metadata(("go", 0, 0))?.speakingRate == 0)
  }
}
