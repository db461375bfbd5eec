import SpeechClient
import Testing

@Suite struct TranscriptionTests {
  @Test func `a transcription's text joins the words with spaces`() {
    let words = ["ten", "meters"].map {
      TranscriptionSegment(substring: $0, timestamp: .zero, duration: .seconds(1))
    }
    #expect(Transcription(segments: words).formattedString == "ten meters")
    #expect(Transcription(segments: []).formattedString == "")
  }
}
