import SpeechClient
import Testing

@testable import SyrinxCommand

struct UtteranceRecordTests {
  private let words = [
    TranscriptionSegment(
      substring: "go", timestamp: .milliseconds(100), duration: .milliseconds(240),
      confidence: 0.98765),
    TranscriptionSegment(
      substring: "\"ahead\"", timestamp: .milliseconds(340), duration: .microseconds(200_400)),
  ]

  @Test
  func `a result is one line, times in seconds to a thousandth`() throws {
    let result = SpeechRecognitionResult(
      utterance: 2, bestTranscription: Transcription(segments: words), isFinal: true)
    #expect(
      try UtteranceRecord(result, file: "a/b.wav").jsonLine() == """
        {"end":0.54,"file":"a/b.wav","final":true,"start":0.1,"text":"go \\"ahead\\"","utterance":2,\
        "words":[{"confidence":0.988,"end":0.34,"start":0.1,"word":"go"},\
        {"end":0.54,"start":0.34,"word":"\\"ahead\\""}]}
        """)
  }

  @Test
  func `what is not known is left out`() throws {
    let result = SpeechRecognitionResult(
      utterance: 0, bestTranscription: Transcription(segments: []), isFinal: false)
    #expect(
      try UtteranceRecord(result).jsonLine()
        == #"{"final":false,"text":"","utterance":0,"words":[]}"#)
  }
}
