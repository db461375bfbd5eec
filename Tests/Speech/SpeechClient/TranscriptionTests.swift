import SpeechClient
import Testing

@Suite struct TranscriptionTests {
  @Test func `the text is the words with a space between them`() {
    let words = ["ten", "meters"].map {
      TranscriptionSegment(substring: $0, timestamp: .zero, duration: .seconds(1))
    }
    #expect(Transcription(segments: words).formattedString == "ten meters")
    #expect(Transcription(segments: []).formattedString == "")
  }
}
